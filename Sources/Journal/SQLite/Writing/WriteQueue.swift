import StoreHosting

/// The commands that wait for the writer.
///
/// Commands of a session keep their order. A large one, such as the initial state of a fork, is written alone among small ones that have
/// come meanwhile, and at a pace that leaves most of the time to these. So the large writes of one client do not delay the commits
/// of all the others.
struct WriteQueue: Sendable {
    /// How many bytes make a command large: they take as long to write as hundreds of commits.
    private static let largeBytes = 64 << 10
    /// If so many bytes of large commands wait, they must not wait any longer: beyond 64 MiB nothing new could be accepted.
    private static let urgentBytes = 16 << 20

    private var small: [WriteCommand] = []
    private var smallBytes = 0
    /// Large commands, and the commands behind them that must not overtake them. The first is large unless a transaction was full.
    private var large: [WriteCommand] = []
    private var largeBytes = 0
    /// How many commands of each session are among these.
    private var delayed: [String: Int] = [:]
    private var pace = LargeWritePace()
    /// Whether the writer is about to close.
    private var isEnding = false

    var isEmpty: Bool { small.isEmpty && large.isEmpty }
    var byteCount: Int { smallBytes + largeBytes }
    /// How many commands the next transaction has, without those that may have to wait.
    var count: Int { small.count }
    var hasBarrier: Bool { small.contains(where: \.isBarrier) }

    /// - Parameter isOrdered: whether a barrier is for all commands before it; else it may overtake large ones.
    mutating func append(_ command: WriteCommand, isOrdered: Bool) {
        let byteCount = command.byteCount
        guard byteCount >= Self.largeBytes || mustFollow(command, isOrdered) else {
            small.append(command)
            smallBytes += byteCount
            return
        }
        large.append(command)
        largeBytes += byteCount
        if let id = command.sessionID { delayed[id, default: 0] += 1 }
    }

    private func mustFollow(_ command: WriteCommand, _ isOrdered: Bool) -> Bool {
        guard !large.isEmpty else { return false }
        switch command {
        case .barrier: return isOrdered
        // The end of another personal session of its owner may be among them.
        case .create(_, let session) where session.isPersonal: return true
        default: return command.sessionID.map(hasDelayed) ?? false
        }
    }

    /// Whether commands of a session wait for a large one.
    func hasDelayed(_ id: String) -> Bool { delayed[id] != nil }

    /// Takes the commands of the next transaction.
    ///
    /// - Returns: none if there are none, or if those that there are must wait; and whether one of them is large.
    mutating func take(maxCount: Int, maxBytes: Int, _ now: ContinuousClock.Instant) -> ([WriteCommand], isLarge: Bool)
    {
        var taken = takeSmall(maxCount, maxBytes)
        if !taken.isEmpty { pace.recordOthers(at: now) }
        guard !large.isEmpty, small.isEmpty else { return (taken, false) }
        var hasLarge = false
        var bytes = 0
        while let next = large.first, taken.count < maxCount, bytes < maxBytes {
            if next.byteCount >= Self.largeBytes {
                if isUrgent ? false : hasLarge || !pace.allows(now) { break }
                hasLarge = true
            }
            bytes += next.byteCount
            taken.append(next)
            removeFirstLarge()
        }
        return (taken, hasLarge)
    }

    private var isUrgent: Bool { isEnding || largeBytes > Self.urgentBytes }

    private mutating func takeSmall(_ maxCount: Int, _ maxBytes: Int) -> [WriteCommand] {
        if small.count <= maxCount, smallBytes <= maxBytes {
            defer { (small, smallBytes) = ([], 0) }
            return small
        }
        var count = 0
        var bytes = 0
        while count < min(small.count, maxCount), bytes < maxBytes {
            bytes += small[count].byteCount
            count += 1
        }
        smallBytes -= bytes
        defer { small.removeFirst(count) }
        return Array(small.prefix(count))
    }

    private mutating func removeFirstLarge() {
        let command = large.removeFirst()
        largeBytes -= command.byteCount
        guard let id = command.sessionID, let count = delayed[id] else { return }
        delayed[id] = count == 1 ? nil : count - 1
    }

    /// A transaction with a large command has ended.
    mutating func recordLarge(_ duration: Duration, at now: ContinuousClock.Instant) {
        pace.recordLarge(duration, at: now)
    }

    /// When the large commands may continue that have to wait now; nil if none has to.
    func delay(_ now: ContinuousClock.Instant) -> Duration? {
        guard small.isEmpty, !large.isEmpty, !isUrgent, !pace.allows(now) else { return nil }
        return pace.next - now
    }

    /// From now on nothing waits.
    mutating func end() { isEnding = true }
}
