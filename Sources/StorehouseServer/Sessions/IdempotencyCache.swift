import Locks
import StoreHosting
import Stores

/// The answers of one session to requests that may come again (Idempotency-Key), each kept for ten minutes at least.
final class IdempotencyCache: Sendable {
    /// What is to be done with a request that has a key.
    enum Turn {
        /// It is the first; its answer is awaited by ``keep(_:)``, or it is given up by ``forget(_:)``.
        case first
        /// It was answered before.
        case again(IdempotencyRecord)
        /// The first one is still under way.
        case underWay
        /// The key was used for another request.
        case other
        /// There are as many answers as may be kept.
        case full
    }

    fileprivate enum Entry {
        case awaited(RequestFingerprint)
        /// With the fingerprint of its request, where that came to this process.
        case kept(IdempotencyRecord, RequestFingerprint?)
    }

    fileprivate struct Contents {
        var entries: [String: Entry] = [:]
        /// The keys of what is kept, oldest first; those before `oldest` are gone.
        var order: [(key: String, at: Int)] = []
        var oldest = 0
        var bytes = 0
        var awaited = 0
    }

    /// How long an answer is kept, in milliseconds.
    private static let lifetime = 600_000
    /// Beyond that no further key is taken, since none may be forgotten early.
    private static let mostBytes = 4 << 20

    // Guards the answers. Taken inside the store's lock; nothing is locked in it.
    private let contents = Locked(Contents())

    /// Whether a first request is under way.
    var isBusy: Bool { contents.withLock { $0.awaited > 0 } }

    /// Whether the answer to the first request with a key is still to come.
    func isAwaited(_ key: String) -> Bool {
        contents.withLock { contents in
            if case .awaited = contents.entries[key] { true } else { false }
        }
    }

    /// Takes in a request.
    func enter(_ key: String, _ fingerprint: RequestFingerprint, now: Int) -> Turn {
        contents.withLock { contents in
            contents.forget(before: now - Self.lifetime)
            switch contents.entries[key] {
            case .awaited(let first): return first.exact == fingerprint.exact ? .underWay : .other
            case .kept(let answer, let first):
                let isSame = first.map { $0.exact == fingerprint.exact } ?? (answer.fingerprint == fingerprint.kept)
                return isSame ? .again(answer) : .other
            case nil:
                guard contents.bytes < Self.mostBytes, contents.awaited < 1000 else { return .full }
                contents.entries[key] = .awaited(fingerprint)
                contents.awaited += 1
                return .first
            }
        }
    }

    /// Keeps the answer to a request, in place of an earlier one to it.
    func keep(_ answer: IdempotencyRecord) {
        contents.withLock { $0.keep(answer) }
    }

    /// Gives up a request whose answer is not kept: one with its key is a first one again.
    func forget(_ key: String) {
        contents.withLock { contents in
            guard case .awaited = contents.entries[key] else { return }
            contents.entries[key] = nil
            contents.awaited -= 1
        }
    }

    /// Takes in answers that were kept before.
    func restore(_ answers: [IdempotencyRecord]) {
        contents.withLock { contents in
            for answer in answers.sorted(by: { $0.at < $1.at }) { contents.keep(answer) }
        }
    }
}

extension IdempotencyCache.Contents {
    fileprivate mutating func keep(_ answer: IdempotencyRecord) {
        var fingerprint: RequestFingerprint?
        switch entries[answer.key] {
        case .kept(let earlier, let first)?:
            fingerprint = first
            bytes -= earlier.extent
        case .awaited(let first)?:
            fingerprint = first
            awaited -= 1
            order.append((answer.key, answer.at))
        case nil: order.append((answer.key, answer.at))
        }
        entries[answer.key] = .kept(answer, fingerprint)
        bytes += answer.extent
    }

    fileprivate mutating func forget(before moment: Int) {
        while oldest < order.count, order[oldest].at < moment {
            if case .kept(let answer, _)? = entries.removeValue(forKey: order[oldest].key) { bytes -= answer.extent }
            oldest += 1
        }
        guard oldest > order.count / 2 else { return }
        order.removeFirst(oldest)
        oldest = 0
    }
}

extension IdempotencyRecord {
    /// About how many bytes it takes.
    fileprivate var extent: Int { key.utf8.count + answer.count + 128 }
}
