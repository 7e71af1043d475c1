import Locks
import Sessions
import Testing

@Suite("The rounds that tell who watches", .timeLimit(.minutes(5)))
struct PresenceUpdatesTests {
    private final class Owner: PresenceOwner {
        private let answers: Locked<[Int?]>
        let first = Promise<Void>()
        let second = Promise<Void>()

        init(_ answers: [Int?]) { self.answers = Locked(answers) }

        func tellPresence() -> Int? {
            let (answer, isLast) = answers.withLock { ($0.isEmpty ? nil : $0.removeFirst(), $0.isEmpty) }
            (isLast ? second : first).fulfill(())
            return answer
        }
    }

    @Test("call a session when it is due, and again when it says so")
    func again() async {
        let time = Locked(1000)
        let updates = PresenceUpdates { time.withLock { $0 } }
        let owner = Owner([5000, nil])
        updates.tell(owner, at: 900)
        await owner.first.value()
        time.withLock { $0 = 5000 }
        await owner.second.value()
    }

    @Test("call a session that is more urgent than those that wait already")
    func urgent() async {
        let updates = PresenceUpdates { 1000 }
        let patient = Owner([nil])
        updates.tell(patient, at: .max / 2)
        let owner = Owner([nil])
        updates.tell(owner, at: 1000)
        await owner.second.value()
        // The earlier of two times counts.
        updates.tell(patient, at: 1000)
        updates.tell(patient, at: .max / 2)
        await patient.second.value()
    }

    @Test("keep no session in memory")
    func weak() {
        let updates = PresenceUpdates { 1000 }
        weak var left: Owner?
        do {
            let owner = Owner([nil])
            left = owner
            updates.tell(owner, at: .max / 2)
        }
        #expect(left == nil)
    }
}
