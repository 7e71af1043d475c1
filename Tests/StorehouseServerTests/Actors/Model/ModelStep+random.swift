import Stores

extension ModelStep {
    static func random(_ random: inout some RandomNumberGenerator) -> ModelStep {
        ModelStep(
            sender: .random(&random), session: .random(in: 0..<60, using: &random),
            node: .random(in: 0...1, using: &random),
            verb: .random(&random), isInterrupted: Int.random(in: 0..<4, using: &random) == 0)
    }
}

extension ModelSender {
    fileprivate static func random(_ random: inout some RandomNumberGenerator) -> ModelSender {
        let token: Token
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<4: token = .cashier
        case 4: token = .reading
        case 5: token = .listing
        default: token = .plain
        }
        // Ada has most sessions, so that the others are mostly visitors of them.
        let number = Int.random(in: -3..<6, using: &random)
        return ModelSender(user: users[min(max(0, number), users.count - 1)], token: token)
    }
}

extension ModelVerb {
    fileprivate static func random(_ random: inout some RandomNumberGenerator) -> ModelVerb {
        let number = Int.random(in: 0..<60, using: &random)
        switch Int.random(in: 0..<110, using: &random) {
        case 0..<3: return .create
        case 3..<12: return .read(selection: ["", "/count", "size"].randomElement(using: &random) ?? "")
        case 12..<15: return .recall(number % 5 - 1)
        case 15..<18: return .document
        case 18..<24: return .log
        case 24..<28: return .refused
        case 28..<33: return .fork(number % 4)
        case 33..<35: return .end
        case 35..<41: return .share(.random(&random))
        case 41..<43: return .listShares
        case 43..<46: return .revoke(number)
        case 46: return .revokeAll
        case 47..<53: return .stream(ModelStreamForm.allCases.randomElement(using: &random) ?? .whole)
        case 53: return .leaveStream(number)
        case 54..<58: return .readShare(number)
        case 58..<68: return .actByShare(number, .random(&random))
        case 68..<71:
            let forms: [ModelStreamForm] = [.whole, .patches]
            return .streamShare(number, forms.randomElement(using: &random) ?? .whole)
        case 71: return .rest
        default: return .act(.random(&random))
        }
    }
}

extension ModelPost {
    fileprivate static func random(_ random: inout some RandomNumberGenerator) -> ModelPost {
        let key = Int.random(in: 0..<9, using: &random)
        let count = max(1, Int.random(in: -6...4, using: &random))
        let post = ModelPost(calls: (0..<count).map { _ in .random(&random) }, isDryRun: key == 8)
        guard key < usual.count else { return post }
        // Mostly a body that comes again with this key.
        let isUsual = Int.random(in: 0..<4, using: &random) > 0
        return ModelPost(calls: isUsual ? usual[key] : post.calls, key: key)
    }

    private static let usual: [[ModelCall]] = [[.touch], [.post(0, id: nil)], [.touch, .leave, .touch]]
}

extension ModelCall {
    fileprivate static func random(_ random: inout some RandomNumberGenerator) -> ModelCall {
        let number = Int.random(in: 0..<8, using: &random)
        switch Int.random(in: 0..<36, using: &random) {
        case 0..<2: return .join
        case 2..<4: return .leave
        case 4..<16:
            let rights = [0, 0, 1, 2, 3, 3, 4, 5, 7, 7, 7, 7, 15, 15].randomElement(using: &random) ?? 3
            return .grant(number % ModelSender.users.count, rights)
        case 16..<21: return .post(number % 2, id: number < 3 ? number : nil)
        case 21..<24: return .price(number)
        case 24..<26: return .open(number % 2 == 0)
        case 26: return .tick
        case 27: return .unknown
        case 28: return .forged
        case 29: return .wrong
        default: return .touch
        }
    }
}

extension ModelShareWish {
    fileprivate static func random(_ random: inout some RandomNumberGenerator) -> ModelShareWish {
        let number = Int.random(in: 0..<16, using: &random)
        return ModelShareWish(
            mayAct: number % 4 > 0, actions: number % 5 == 0 ? ["guild/touch", "guild/post"] : nil,
            guest: number < 10 ? number % 3 : nil, roles: number % 6 == 0 ? ["cashier"] : [],
            selection: number % 3 == 0 ? "/count" : "")
    }
}
