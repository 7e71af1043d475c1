import RemoteStoreTesting
import StoreHosting
import StorehouseClient
import Testing

/// Previews have live stores.
@MainActor @Suite struct PreviewTests {
    @Test func `a preview with the kind is live, and books`() async throws {
        let store = RemoteStore.preview(seats, Hall(guests: ["Ada", "Bob"]))
        #expect(store.connection.status == .live)
        #expect(store.guests == ["Ada", "Bob"])
        let sent = store.send(book("Eve"))
        #expect(store.guests == ["Ada", "Bob", "Eve"])
        try await sent.confirmed
        #expect(store.confirmed.guests == ["Ada", "Bob", "Eve"])
        #expect(store.connection.status == .live)
    }

    @Test func `a preview without the kind stays in its state`() async {
        let store = RemoteStore.preview(Hall(guests: ["Ada"]))
        #expect(store.connection.status == .live)
        #expect(store.guests == ["Ada"])
        await #expect(throws: ActionRejected.self) { try await store.send(book("Eve")).confirmed }
        #expect(store.guests == ["Ada"])
    }
}
