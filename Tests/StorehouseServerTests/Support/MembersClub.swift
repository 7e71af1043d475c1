import JSON
import StoreHosting
import StorehouseServer
import Stores

struct MembersClub: Sendable, Equatable {
    var members: [ActorID] = []
    var extra = 0
}

/// A club whose members are in its state. `crowd` makes any number of them out of a few bytes.
let club = StoreDefinition("club", "A club with members.", MembersClub()) {
    Member("members", \.members)
    Member("extra", \.extra)
    Action("add", "Adds a member.", .text("id", 0...80, example: "ada")) { club, id in
        club.members.append(ActorID(id))
    }
    Action("remove", "Removes a member.", .text("id", 0...80, example: "ada")) { club, id in
        club.members.removeAll { $0 == ActorID(id) }
    }
    Action("list", "Lists all members.", .value("ids", example: ["ada"])) { club, ids in
        club.members = ids.map { ActorID($0) }
    }
    Action("crowd", "Makes this many members more.", .integer("count", 0...1_000_000)) { club, count in
        club.extra = count
    }
    Access { _, _ in [.read] }
    Members { club in club.members + (0..<club.extra).lazy.map { ActorID("extra-\($0)") } }
}

extension TestServing {
    /// Adds members to a session, or removes one, as its owner.
    @discardableResult
    func act(_ action: String, _ id: String, in path: String, as owner: String) async throws -> TestResponse {
        try await send(
            "POST", path + "/actions", as: owner, nil,
            ["type": .string("club/" + action), "payload": ["id": .string(id)]])
    }

    /// The ids of all sessions in a subject's list, page by page.
    func listed(
        of subject: String, _ query: [String] = [], limit: Int = 100, by storehouse: JSONValue? = nil
    ) async throws -> [String] {
        var (found, after): ([String], String?) = ([], nil)
        repeat {
            let query = query + ["limit=\(limit)"] + (after.map { ["after=\($0)"] } ?? [])
            let page = try await send("GET", "/sessions?" + query.joined(separator: "&"), as: subject, storehouse)
            guard page.status == 200 else { throw UnexpectedAnswer(text: page.text) }
            found += page.json["sessions"]?.asArray?.compactMap { $0["id"]?.asString } ?? []
            after = page.json["next"]?.asString
        } while after != nil
        return found
    }
}

struct UnexpectedAnswer: Error {
    let text: String
}

/// Where a server keeps its sessions.
enum ListStorage: CaseIterable, Sendable {
    case memory, sqlite, redis

    /// Serves rooms in token mode while `body` runs.
    func run(
        _ durable: DurableServer? = nil, kinds: [StoreKind] = [club.kind],
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (LiveServer) async throws -> Void
    ) async throws {
        let configuration = TestTokens.configuration {
            $0.sessions.defaultStore = kinds[0].name
            change(&$0)
        }
        if self == .memory { return try await LiveServer.run(kinds: kinds, configuration: configuration, body) }
        let durable = try durable ?? DurableServer(onRedis: self == .redis)
        try await durable.run(kinds: kinds, configuration: configuration, body)
    }
}

/// The id of the session with a path.
func sessionID(_ path: String) -> String { String(path.dropFirst("/sessions/".count)) }

extension LiveServer {
    /// Waits until the index of members has all stored sessions.
    func membersAreChecked() async throws { try await waitUntil { running.membersAreChecked } }
}
