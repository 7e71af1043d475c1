import Sessions
import Testing

/// The order in which waiting work begins.
@Suite struct WorkTurnsTests {
    private typealias Turns = WorkTurns<String>

    private static func turns(working: Int = 2, perOwner: Int = 3) -> Turns {
        var limits = Turns.Limits()
        (limits.working, limits.waitingPerOwner) = (working, perOwner)
        return Turns(limits)
    }

    /// The place of a read that has to wait.
    private func place(in turns: inout Turns, of owner: String) throws -> Turns.Place {
        guard case .waits(let place) = turns.admit(owner) else { throw Unexpected() }
        return place
    }

    private struct Unexpected: Error {}

    @Test func asManyBeginAtOnceAsMay() throws {
        var turns = Self.turns()
        #expect(turns.admit("a") == .begins)
        #expect(turns.admit("a") == .begins)
        let waiting = try place(in: &turns, of: "a")
        #expect(turns.end() == waiting)
        #expect(turns.end() == nil)
        #expect(turns.end() == nil)
        for _ in 0..<2 { #expect(turns.admit("b") == .begins) }
        _ = try place(in: &turns, of: "b")
    }

    @Test func theOwnersTakeTurnsAndWhoeverComesFirstBeginsFirst() throws {
        var turns = Self.turns(working: 1)
        _ = turns.admit("a")
        let first = try (1...3).map { _ in try place(in: &turns, of: "a") }
        let second = try (1...2).map { _ in try place(in: &turns, of: "b") }
        #expect((1...5).map { _ in turns.end() } == [first[0], second[0], first[1], second[1], first[2]])
        #expect(turns.end() == nil)
    }

    @Test func anOwnerOfWhomTooManyWaitIsRefusedAndNoOther() throws {
        var turns = Self.turns()
        for _ in 0..<2 { _ = turns.admit("a") }
        for _ in 0..<3 { _ = try place(in: &turns, of: "a") }
        #expect(turns.admit("a") == .overloaded)
        let other = try place(in: &turns, of: "b")
        // A place becomes free as soon as somebody begins.
        #expect(turns.end() != other)
        _ = try place(in: &turns, of: "a")
        #expect(turns.end() == other)
    }

    @Test func whoeverLeavesIsPassedOver() throws {
        var turns = Self.turns(working: 1)
        _ = turns.admit("a")
        let left = try place(in: &turns, of: "a")
        let stays = try place(in: &turns, of: "a")
        let alone = try place(in: &turns, of: "b")
        turns.leave(left)
        turns.leave(alone)
        #expect(turns.end() == stays)
        // Places that are not there any more change nothing.
        for place in [left, stays, alone] { turns.leave(place) }
        #expect(turns.end() == nil)
        #expect(turns.admit("c") == .begins)
    }
}
