import JSON

extension JSONValue {
    /// A batch that adds tasks to a planner. A title has as many characters as it may, and 4000 bytes.
    static func longTasks(_ count: Int) -> JSONValue {
        let title = String(repeating: "🇪🇺", count: 500)
        return .array(Array(repeating: ["type": "tasks/add", "payload": ["title": .string(title)]], count: count))
    }
}

extension LiveServer {
    /// An idle timeout for tests in which one ends, longer than most pauses of a client on a busy machine.
    static let shortTime = Duration.seconds(2)

    /// A planner whose state has about so many mebibytes.
    ///
    /// The system holds up to 4 MiB for a client that does not read.
    func largeSession(mebibytes: Int = 8) async throws -> LiveSession {
        let session = try await fasterThan(Self.shortTime) { try await self.session("planner") }
        let batch = JSONValue.longTasks(64)
        for _ in 0..<(4 * mebibytes) {
            let response = try await fasterThan(Self.shortTime) {
                try await session.post(batch, [("Prefer", "return=minimal")])
            }
            guard response.status == 204 else { throw Wire.Failure.malformed("no commit but \(response.status)") }
        }
        return session
    }
}
