import SeatsKind
import StorehouseClient

/// Books seats, shows the hall, or does what waits: `book SERVER SESSION [later|watch] [GUEST…]`.
@main @MainActor struct Book {
    static func main() async throws {
        var words = CommandLine.arguments.dropFirst()
        guard words.count >= 2 else { return print("usage: book SERVER SESSION [later|watch] [GUEST…]") }
        let (url, id) = (words.removeFirst(), words.removeFirst())
        let store = RemoteStore(seats, at: url, session: .id(id), storage: .file("outbox"), creates: true)
        switch words.first {
        case "watch": await watch(store)
        case "later": try await later(store, words.dropFirst().map { book($0) })
        default: try await now(store, words.map { book($0) })
        }
    }

    /// Prints each state until the session ends: the newest state, no backlog.
    private static func watch(_ store: RemoteStore<Seats>) async {
        for await hall in store.states { print(hall.guests.count, store.connection.status) }
    }

    /// Leaves actions in the outbox on disk. No server is needed for it.
    private static func later(_ store: RemoteStore<Seats>, _ actions: [StoreAction<Seats>]) async throws {
        for action in actions { try await store.send(action).stored }
        print("in the outbox")
    }

    /// Commits actions together, and all that waits in the outbox before them.
    private static func now(_ store: RemoteStore<Seats>, _ actions: [StoreAction<Seats>]) async throws {
        do {
            if !actions.isEmpty {
                let outcome = try await store.send(all: actions).outcome
                print("booked at revision \(outcome.revision)")
            }
        } catch let refusal as ActionRejected {
            print("refused at revision \(refusal.revision): \(refusal.reason)")
        } catch let end as ConnectionEnded {
            return print("the connection has ended: \(end.reason)")
        }
        for await _ in store.states { break }
        await store.flush()
        print("guests: \(store.guests.joined(separator: ", "))")
    }
}
