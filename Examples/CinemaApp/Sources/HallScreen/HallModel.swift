public import SeatsKind
public import StorehouseClient

/// The login of the app, which gives tokens of its user.
public struct Login: Sendable {
    /// Asks the login of the app, for a reason.
    public var token: @Sendable (TokenReason) async throws -> String?

    public init(token: @escaping @Sendable (TokenReason) async throws -> String?) { self.token = token }
}

extension RemoteStore<Seats> {
    /// The hall of the user, with an outbox in a folder.
    public static func mine(at server: String, _ login: Login, outbox folder: String) -> RemoteStore<Seats> {
        RemoteStore(seats, at: server, session: .mine, token: login.token, storage: .file(folder), creates: true)
    }

    /// Whether a booking of the guest waits for the server.
    public func isBooking(_ guest: String) -> Bool { pending.contains { $0.action == book(guest) } }

    /// A sentence about the last refusal; nil if there was none.
    public var refusal: String? {
        refusals.last.map { $0.reason == "sold-out" ? "The hall is full." : "Refused: \($0.reason)" }
    }
}
