import Sockets
import Testing

@Suite struct TimerWheelTests {
    /// Compares the wheel with a sorted list over random operations.
    @Test(arguments: [1, 64, 5000, 300_000, 1 << 24] as [UInt64])
    func agreesWithASortedList(span: UInt64) {
        var random = SeededRandom(seed: span)
        var wheel = TimerWheel<Int>()
        var model: [(tick: UInt64, order: Int, payload: Int, timer: LoopTimer)] = []
        var (present, order) = (UInt64(0), 0)
        for _ in 0..<4000 {
            order += 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let tick = present + UInt64.random(in: 0...span, using: &random)
                model.append((tick, order, order, wheel.schedule(at: tick, order)))
            case 5 where !model.isEmpty:
                let index = Int.random(in: model.indices, using: &random)
                #expect(wheel.cancel(model[index].timer) == model[index].payload)
                model.remove(at: index)
            case 6 where !model.isEmpty:
                let index = Int.random(in: model.indices, using: &random)
                let tick = present + UInt64.random(in: 0...span, using: &random)
                #expect(wheel.move(model[index].timer, to: tick) == true)
                let moved = model.remove(at: index)
                model.append((tick, order, moved.payload, moved.timer))
            default:
                present += UInt64.random(in: 0...span / 8 + 1, using: &random)
                let due = model.filter { $0.tick <= present }.sorted { ($0.tick, $0.order) < ($1.tick, $1.order) }
                for timer in due {
                    #expect(wheel.popDue(at: present) == timer.payload)
                    #expect(wheel.cancel(timer.timer) == nil)
                }
                #expect(wheel.popDue(at: present) == nil)
                model.removeAll { $0.tick <= present }
            }
            #expect(wheel.count == model.count)
            #expect(wheel.nextTick() == model.map(\.tick).min())
        }
    }

    @Test func firesInOrderOfTicksAndThenOfScheduling() {
        var wheel = TimerWheel<String>()
        let ticks: [UInt64] = [500, 3, 70, 3, 5000, 70, 500, 0, 5000]
        for (order, tick) in ticks.enumerated() {
            _ = wheel.schedule(at: tick, "\(tick)-\(order)")
        }
        var fired: [String] = []
        for present in stride(from: UInt64(0), through: 6000, by: 37) {
            while let payload = wheel.popDue(at: present) {
                fired.append(payload)
            }
        }
        #expect(fired == ["0-7", "3-1", "3-3", "70-2", "70-5", "500-0", "500-6", "5000-4", "5000-8"])
    }

    @Test func neverFiresEarly() {
        var wheel = TimerWheel<Int>()
        for tick in [1, 63, 64, 65, 4095, 4096, 262_144, 1 << 30] as [UInt64] {
            _ = wheel.schedule(at: tick, 0)
            #expect(wheel.popDue(at: tick - 1) == nil)
            #expect(wheel.popDue(at: tick) != nil)
        }
    }

    @Test func outdatedTimersAreIgnored() {
        var wheel = TimerWheel<Int>()
        let old = wheel.schedule(at: 1, 1)
        #expect(wheel.cancel(old) == 1)
        let new = wheel.schedule(at: 1, 2)
        #expect(wheel.cancel(old) == nil)
        #expect(wheel.move(old, to: 9) == false)
        #expect(wheel.popDue(at: 1) == 2)
        #expect(wheel.cancel(new) == nil)
    }

    @Test func aTimerForThePastIsDueAtOnce() {
        var wheel = TimerWheel<Int>()
        #expect(wheel.popDue(at: 1000) == nil)
        _ = wheel.schedule(at: 5, 7)
        #expect(wheel.nextTick() == 1000)
        #expect(wheel.popDue(at: 1000) == 7)
    }

    @Test func clampsTheFarthestFuture() {
        var wheel = TimerWheel<Int>()
        let timer = wheel.schedule(at: .max, 1)
        #expect(wheel.popDue(at: 1 << 35) == nil)
        #expect(wheel.cancel(timer) == 1)
    }
}
