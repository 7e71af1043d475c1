import Sockets
import Testing

@Suite struct LoopInboxTests {
    private let nothing: @Sendable () -> Void = {}

    @Test func wakesASleeperOnceForABatch() {
        let inbox = LoopInbox(asleep: true)
        var wakes = 0
        for _ in 0..<5 {
            #expect(inbox.append(nothing) { wakes += 1 })
        }
        #expect(wakes == 1)
    }

    @Test func leavesAnAwakeLoopAlone() {
        let inbox = LoopInbox(asleep: false)
        var wakes = 0
        #expect(inbox.append(nothing) { wakes += 1 })
        #expect(wakes == 0)
        #expect(!inbox.fallAsleep())
        var jobs: [LoopInbox.Job] = []
        inbox.take(&jobs, asleep: false)
        #expect(jobs.count == 1)
        #expect(inbox.fallAsleep())
        #expect(inbox.append(nothing) { wakes += 1 })
        #expect(wakes == 1)
    }

    @Test func closesOnlyWhenEmpty() {
        let inbox = LoopInbox(asleep: false)
        #expect(inbox.append(nothing) {})
        #expect(inbox.takeOrClose().count == 1)
        #expect(inbox.append(nothing) {})
        #expect(inbox.takeOrClose().count == 1)
        #expect(inbox.takeOrClose().isEmpty)
        #expect(!inbox.append(nothing) {})
    }
}
