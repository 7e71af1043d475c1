import JSON
import Locks
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// A visitor with the right `delete` ends a session.
@Suite("The end of a session by a visitor", .timeLimit(.minutes(5)))
struct VisitorEndTests {
    /// Calls its body at the second question for Bob, which is the one in the step of his request.
    private final class SecondQuestion: Sendable {
        private let count = Locked(0)
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func asked(_ actor: ActorID) {
            guard actor == "bob" else { return }
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 2 { body() }
        }
    }

    /// The answers to Bob's deletion, and to his removal, which is sent while his right is asked for.
    private static func race(
        _ club: ClubKind, _ server: any TestServing
    ) async throws -> (deletion: TestResponse, removal: TestResponse) {
        let session = try await ClubSession.make(on: server)
        _ = try await session.grant([.read, .delete], to: "bob")
        let removal = Promise<Result<TestResponse, any Error>>()
        let question = SecondQuestion {
            Task {
                do {
                    removal.fulfill(.success(try await session.grant([], to: "bob")))
                } catch {
                    removal.fulfill(.failure(error))
                }
            }
        }
        club.whenAsked { question.asked($0) }
        let deletion = try await session.send("DELETE", "", as: "bob")
        defer { club.whenAsked(nil) }
        return (deletion, try await removal.value().get())
    }

    @Test("is asked for in one step with the end: no removal that was committed comes before it")
    func oneStep() async throws {
        let club = ClubKind()
        try await AccessFunctionTests.run(.memory, club) { own, _ in
            for round in 0..<100 {
                let (deletion, removal) = try await Self.race(club, own.server)
                #expect(deletion.status == 204, "round \(round)")
                #expect(removal.status == 410, "round \(round)")
            }
        }
    }

    @Test("is refused without the right, and under a condition that does not hold")
    func refusals() async throws {
        try await AccessFunctionTests.run { session, _ in
            _ = try await session.grant(.read, to: "bob")
            #expect(try await session.send("DELETE", "", as: "bob").code == "forbidden")
            _ = try await session.grant([.read, .delete], to: "bob")
            let old = [("If-Match", "\"1\"")]
            #expect(try await session.send("DELETE", "", as: "bob", old).status == 412)
            #expect(try await session.send("DELETE", "", as: "ada", old).status == 412)
            #expect(try await session.revision() == 2)
            #expect(try await session.send("DELETE", "", as: "bob").status == 204)
            #expect(try await session.send("DELETE", "", as: "ada").status == 410)
        }
    }
}
