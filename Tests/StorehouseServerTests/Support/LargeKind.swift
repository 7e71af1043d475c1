import StoreHosting

/// The state of a kind that one short action makes large.
private struct Hoard {
    var count = 0
    var texts: [String] = []
}

extension StoreKind {
    static let hoard = StoreDefinition("hoard", "Long texts, and a count.", Hoard()) {
        Member("count", \.count)
        Member("texts", \.texts)
        Action("count", "Counts.") { hoard in hoard.count += 1 }
        Action("fill", "Adds a text of so many mebibytes.", .integer("mebibytes", 1...64)) { hoard, size in
            hoard.texts.append(String(repeating: "x", count: size << 20))
        }
    }.kind
}

extension LiveServer {
    /// An idle timeout for tests in which one ends, longer than most pauses of a client on a busy machine.
    static let shortTime = Duration.seconds(2)

}

extension TestServing {
    /// A hoard with a text of so many mebibytes, at revision 1. The server must host that kind.
    ///
    /// The system holds up to 4 MiB for a client that does not read.
    func largeSession(mebibytes: Int = 8) async throws -> LiveSession {
        try await fasterThan(LiveServer.shortTime) {
            let session = try await self.session("hoard")
            let filled = try await session.dispatch(
                "hoard/fill", ["mebibytes": .integer(mebibytes)], fields: [("Prefer", "return=minimal")])
            guard filled.status == 204 else { throw Wire.Failure.malformed("no commit but \(filled.status)") }
            return session
        }
    }
}
