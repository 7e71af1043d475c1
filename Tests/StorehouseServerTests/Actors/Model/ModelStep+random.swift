import Stores

// Steps that belong together. Chosen one by one they would seldom meet.
extension ModelStep {
    /// One step, or some that belong together.
    static func some(_ random: inout some RandomNumberGenerator) -> [ModelStep] {
        let session = Bool.random(using: &random) ? newest : Int.random(in: 0..<60, using: &random)
        // Ada owns most sessions.
        let user = Int.random(in: 1..<ModelSender.users.count, using: &random)
        func step(by number: Int, _ verb: ModelVerb, isInterrupted: Bool = false) -> ModelStep {
            ModelStep(
                sender: ModelSender(user: ModelSender.users[number]), session: session,
                node: Int.random(in: 0...1, using: &random), verb: verb, isInterrupted: isInterrupted)
        }
        func grant(_ choice: [Int]) -> ModelStep {
            step(by: 0, .act(ModelPost(calls: [.grant(user, choice.randomElement(using: &random) ?? 7)])))
        }
        let (touch, dismissal) = (ModelPost(calls: [.touch]), ModelPost(calls: [.dismiss(user)]))
        switch Int.random(in: 0..<80, using: &random) {
        case 0..<4:
            let end = [
                grant([0, 1, 3]), step(by: user, .act(ModelPost(calls: [.leave]))), step(by: 0, .revoke(newest)),
                step(by: 0, .revokeAll), step(by: user, .revokeAll), step(by: 0, .act(dismissal)),
            ].randomElement(using: &random)
            return [
                grant([7, 15]), step(by: user, .share(.random(&random))), step(by: user, .streamShare(newest, .whole)),
                step(by: user, .actByShare(newest, touch)), end ?? grant([0]), step(by: user, .readShare(newest)),
                step(by: user, .actByShare(newest, touch)), grant([7]), step(by: user, .readShare(newest)),
            ]
        case 4:
            return [
                grant([4, 5, 6]), step(by: user, .share(.random(&random))), step(by: user, .readShare(newest)),
            ]
        case 5..<7:
            let verbs = [ModelVerb.share(.random(&random)), .listShares, .revoke(newest), .revokeAll]
            return [
                grant([7, 15]), step(by: 0, .share(.random(&random))),
                step(by: user, verbs.randomElement(using: &random) ?? .listShares, isInterrupted: true),
            ]
        case 7..<9:
            let verb = ModelVerb.act(.repeated(&random))
            return [grant([3, 7]), step(by: user, verb), step(by: user, verb, isInterrupted: true)]
        case 9..<11:
            return [grant([2, 3, 7])]
                + (Bool.random(using: &random)
                    ? [step(by: user, .act(dismissal))]
                    : [step(by: user, .share(.random(&random))), step(by: user, .actByShare(newest, dismissal))])
        default: return [.random(&random)]
        }
    }

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
        if Int.random(in: 0..<24, using: &random) == 0 {
            return ModelPost(calls: [.dismiss(Int.random(in: 0..<ModelSender.users.count, using: &random))])
        }
        let key = Int.random(in: 0..<9, using: &random)
        let count = max(1, Int.random(in: -6...4, using: &random))
        let post = ModelPost(calls: (0..<count).map { _ in .random(&random) }, isDryRun: key == 8)
        guard key < usual.count else { return post }
        // Mostly a body that comes again with this key.
        let isUsual = Int.random(in: 0..<4, using: &random) > 0
        return ModelPost(calls: isUsual ? usual[key] : post.calls, key: key)
    }

    /// A body that comes again with a key.
    fileprivate static func repeated(_ random: inout some RandomNumberGenerator) -> ModelPost {
        let key = Int.random(in: 0..<usual.count, using: &random)
        return ModelPost(calls: usual[key], key: key)
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
