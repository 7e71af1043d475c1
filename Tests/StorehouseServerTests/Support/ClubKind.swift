import JSON
import Locks
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// The state of a kind that says what each of its members may do.
struct Club: Sendable, Equatable {
    /// The rights of the members, as their sum of bits.
    var rights: [ActorID: Int] = [:]
    var posts = 0
    /// Makes the state large.
    var text = ""
}

/// A kind with access from its state.
final class ClubKind: Sendable {
    /// How often each actor was asked for.
    private let questions = Locked<[ActorID: Int]>([:])
    /// How many questions are still answered by the state; nil for all. The others get no right.
    private let answersLeft = Locked<Int?>(nil)
    private let observer = Locked(Observer())
    /// Ends the work of an action that has an effect.
    let work = Promise<Void>()
    /// Holds such work up once more; nil for not at all.
    let pause = Locked<Promise<Void>?>(nil)

    var asked: [ActorID: Int] { questions.withLock { $0 } }

    /// As if the actor were removed after so many questions; nil for never.
    func answers(only count: Int?) { answersLeft.withLock { $0 = count } }

    /// Calls `body` with each actor that is asked for, inside the question.
    func whenAsked(_ body: (@Sendable (ActorID) -> Void)?) { observer.withLock { $0.asked = body } }

    private struct Observer {
        var asked: (@Sendable (ActorID) -> Void)?
    }

    var kind: StoreKind {
        let grant = Action<Club, (String, Int)>(
            "grant", "Gives a member these rights, and no others.", .text("who", 1...80, example: "bob"),
            .integer("rights", 0...15)
        ) { club, who, rights in club.rights[ActorID(who)] = rights == 0 ? nil : rights }
        let work = Action<Club, Void>("work", "Posts, and once more after some work.") { $0.posts += 1 }
        let done = Action<Club, Void>("done", "The work is done.", audience: .internal) { $0.posts += 1 }
        return StoreDefinition("club", "A club with members.", Club()) {
            Member("rights", \.rights)
            Member("posts", \.posts)
            Member("text", \.text)
            grant
            work
            done
            Action("leave", "The sender leaves.", .user("by")) { club, user in club.rights[user] = nil }
            Action("post", "Counts.") { club in club.posts += 1 }
            Action("fill", "Makes the state so large.", .integer("kibibytes", 0...4096)) { club, size in
                club.text = String(repeating: "x", count: size << 10)
            }
            MiddlewareFunction { [end = self.work, pause] commit in
                guard work.values(in: commit.action) != nil else { return .none }
                return .run("club.work", .parallel) {
                    await end.value()
                    await pause.withLock(\.self)?.value()
                    return done()
                }
            }
            Selector("count", "How many posts there are.") { $0.posts }
            Access { [questions, answersLeft, observer] club, actor in
                observer.withLock { $0.asked }?(actor.id)
                questions.withLock { $0[actor.id, default: 0] += 1 }
                let isAnswered = answersLeft.withLock { left in
                    defer { left = left.map { $0 - 1 } }
                    return left.map { $0 > 0 } ?? true
                }
                guard isAnswered else { return [] }
                return AccessRights(rawValue: UInt8(club.rights[actor.id] ?? 0))
            }
        }.kind
    }
}

/// A session of that kind on a server in token mode, whose owner is Ada.
struct ClubSession: Sendable {
    let server: any TestServing
    let path: String

    init(_ server: any TestServing, _ path: String) { (self.server, self.path) = (server, path) }

    static func make(on server: any TestServing) async throws -> ClubSession {
        ClubSession(server, try await server.sessionPath(of: "ada", store: "club"))
    }

    static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        TestTokens.configuration {
            $0.sessions.defaultStore = "club"
            $0.http.maxWait = .seconds(3600)
            change(&$0)
        }
    }

    /// A copy that asks another node.
    func at(_ server: any TestServing) -> ClubSession { ClubSession(server, path) }

    /// A request of a user.
    func request(
        _ method: String = "GET", _ below: String = "/state", as user: String, _ fields: [(String, String)] = [],
        json: JSONValue? = nil
    ) -> TestRequest {
        let fields = TestTokens.field(of: user) + fields
        guard let json else { return TestRequest(method, path + below, fields) }
        return TestRequest(method, path + below, fields, json: json)
    }

    func send(
        _ method: String = "GET", _ below: String = "/state", as user: String, _ fields: [(String, String)] = [],
        json: JSONValue? = nil
    ) async throws -> TestResponse {
        try await server.send(request(method, below, as: user, fields, json: json))
    }

    /// Posts an action, or a batch.
    func post(
        _ action: JSONValue = Self.post, as user: String, query: String = "", _ fields: [(String, String)] = []
    ) async throws -> TestResponse {
        try await send("POST", "/actions" + query, as: user, fields, json: action)
    }

    /// Gives a user these rights, and no others, in the name of the owner.
    func grant(_ rights: AccessRights, to user: String) async throws -> TestResponse {
        try await post(Self.grant(rights, to: user), as: "ada")
    }

    func events(
        _ query: String = "", as user: String, _ fields: [(String, String)] = [], receiveBuffer: Int32? = nil
    ) async throws -> EventReader {
        try await LiveSession(server: server, path: path).events(
            query: query, TestTokens.field(of: user) + fields, receiveBuffer: receiveBuffer)
    }

    /// The revision of the session, as its owner sees it.
    func revision() async throws -> Int? { try await send(as: "ada").revision }

    static let post: JSONValue = ["type": "club/post"]
    static let leave: JSONValue = ["type": "club/leave"]

    static func grant(_ rights: AccessRights, to user: String) -> JSONValue {
        ["type": "club/grant", "payload": ["who": .string(user), "rights": .integer(Int(rights.rawValue))]]
    }
}
