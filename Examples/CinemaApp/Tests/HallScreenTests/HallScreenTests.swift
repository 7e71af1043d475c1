import HallScreen
import RemoteStoreTesting
import SeatsKind
import StorehouseClient
import Testing

/// The screen of the hall, without a server and without a network.
@MainActor @Suite struct HallScreenTests {
    private let server = ScriptedServer(seats, Seats(guests: ["Bob"]))

    @Test func aBookingShowsAtOnce() async throws {
        let store = server.store()
        server.answers = .held
        let sent = store.send(book("Ada"))
        #expect(store.guests == ["Bob", "Ada"])
        #expect(store.isBooking("Ada"))
        server.answers = .given
        try await sent.confirmed
        #expect(!store.isBooking("Ada"))
        #expect(server.state.guests == ["Bob", "Ada"])
    }

    @Test func aFullHallIsTold() async throws {
        let store = server.store()
        server.isOnline = false
        store.send(book("Ada"))
        server.commit(book("Eve"))
        server.commit(book("Tom"))
        server.isOnline = true
        server.clock.advance(by: .seconds(1))
        await server.until { store.refusal != nil }
        #expect(store.refusal == "The hall is full.")
        #expect(store.guests == ["Bob", "Eve", "Tom"])
    }

    @Test func aLostConnectionIsShownAsOld() {
        let store = server.store()
        server.cut()
        #expect(store.connection.isStale)
        server.clock.advance(by: .seconds(1))
        #expect(!store.connection.isStale)
    }
}
