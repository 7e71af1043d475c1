import JSON
import StorehouseServer
import Testing

/// `POST …/sync`: the entries of an outbox, each run once.
@Suite("An outbox") struct SyncTests {
    private typealias Outbox = TestOutbox

    @Test("begins its record with new, which may be repeated")
    func begins() async throws {
        try await TestAPI.run { api in
            let outbox = Outbox(try await api.session())
            let first = try await outbox.begin()
            let mark = try #require(first.json["mark"]?.asString)
            #expect(mark.utf8.count == 8)
            #expect(first.at("/through") == 0 && first.at("/results") == [] && first.revision == 0)
            #expect(first["cache-control"] == "no-store" && first["etag"] == nil)
            #expect(try await outbox.begin().json == first.json)
            var other = outbox
            other.client = String(outbox.client.reversed())
            #expect(try await other.begin().json["mark"] != first.json["mark"])
        }
    }

    @Test("without a record runs nothing")
    func withoutRecord() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for answer in [
                try await Outbox(session).send(from: 1, Outbox.increment), try await Outbox(session).read(from: 1),
            ] {
                #expect(answer.status == 409 && answer.code == "client-forgotten")
            }
            #expect(try await session.revision() == 0)
        }
    }

    @Test("gives each outcome under the number of its entry, and a refused entry does not stop the next one")
    func outcomes() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let outbox = Outbox(session)
            try await outbox.begin()
            let entries = [
                Outbox.increment, Outbox.entry("animal/ackError"), Outbox.entry("betslip/placeBet"),
                Outbox.entry("counter/increment", ifMatch: "7"), Outbox.entry("counter/explode"),
                Outbox.entry([["type": "counter/increment"], ["type": "betslip/placeBet"]]), Outbox.entry([5]),
                Outbox.increment,
            ]
            let answer = try await outbox.post(outbox.body(from: 1, entries))
            #expect(answer.status == 200 && answer.revision == 2 && answer.at("/through") == 8)
            #expect(
                answer.results == [
                    "1 committed", "2 ignored", "3 rejected", "4 mismatched", "5 refused", "6 rejected", "7 refused",
                    "8 committed",
                ])
            #expect(answer.at("/results/0/effects") == [] && answer.at("/results/0/revision") == 1)
            #expect(answer.at("/results/5/problem/index") == 1)
            #expect(try await session.state("/counter/count") == 2)
        }
    }

    @Test("tells each problem as a request of its own would get it")
    func problems() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let outbox = Outbox(session)
            try await outbox.begin()
            let bodies: [JSONValue] = [
                ["type": "betslip/placeBet"], ["type": "counter/explode"], ["type": "login/authenticated"], 5,
                ["type": "counter/increment", "payload": ["by": "one"]],
            ]
            let entries = bodies.map { Outbox.entry([$0]) }
            let answer = try await outbox.post(outbox.body(from: 1, entries))
            for (index, body) in bodies.enumerated() {
                let single = try await session.post(body)
                guard case .object(var problem)? = answer.at("/results/\(index)/problem") else {
                    Issue.record("no problem of \(body)")
                    continue
                }
                #expect(problem["requestId"]?.asString == answer["x-request-id"])
                problem["requestId"] = single.json["requestId"]
                #expect(JSONValue.object(problem) == single.json)
            }
        }
    }

    @Test("tells and keeps at most 64 characters of each name that its client has made up")
    func longNames() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let outbox = Outbox(session)
            try await outbox.begin()
            let name = String(repeating: "x", count: 5000)
            let body: JSONValue = ["type": "counter/increment", "payload": .object([name: 1])]
            let first = try await outbox.send(from: 1, Outbox.entry([body]))
            let shown = "/payload/\(name.prefix(63))…"
            for problem in ["/results/0/problem", ""] {
                let answer = problem.isEmpty ? try await session.post(body) : first
                #expect(answer.at(problem + "/errors/0/pointer") == .string(shown))
                #expect(answer.at(problem + "/detail")?.asString?.utf8.count ?? 1000 < 300)
            }
            let again = try await outbox.read(from: 1)
            #expect(again.at("/results/0/problem/errors") == first.at("/results/0/problem/errors"))
            #expect(again.at("/results/0/problem/detail") == first.at("/results/0/problem/detail"))
        }
    }

    @Test("gets the kept outcomes again for entries that it repeats, whatever their spelling")
    func repeats() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let outbox = Outbox(session)
            try await outbox.begin()
            let refused = Outbox.entry("counter/explode")
            let first = try await outbox.send(from: 1, Outbox.increment, refused)
            let spelled = try JSONValue(
                parsing: Array(#"{"actions":[{"payload":{"by":1.0e0},"type":"counter/increment"}]}"#.utf8))
            let again = try await outbox.send(from: 1, spelled, refused, Outbox.increment)
            #expect(again.results == ["1 committed again", "2 refused again", "3 committed"])
            #expect(again.at("/results/1/problem/detail") == first.at("/results/1/problem/detail"))
            #expect(try await outbox.read(from: 2).results == ["2 refused again", "3 committed again"])
            #expect(try await session.revision() == 2)
        }
    }

    @Test("with another entry under a known number, or a number below what is kept, runs nothing")
    func conflicts() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let outbox = Outbox(session)
            try await outbox.begin()
            _ = try await outbox.send(from: 1, Outbox.increment, Outbox.increment)
            let others = [
                Outbox.entry("counter/decrement"), Outbox.entry("counter/increment", ["by": 1], ifMatch: "0"),
            ]
            for other in others {
                let answer = try await outbox.send(from: 2, other, Outbox.increment)
                #expect(answer.status == 409 && answer.code == "sequence-conflict")
                #expect(answer.at("/from") == 1 && answer.at("/through") == 2)
            }
            // From now on the client knows the outcome of the first.
            #expect(try await outbox.read(from: 2).results == ["2 committed again"])
            #expect(try await outbox.send(from: 1, Outbox.increment).code == "sequence-conflict")
            #expect(try await outbox.read(from: 1).results == ["2 committed again"])
            #expect(try await session.revision() == 2)
        }
    }

    @Test("may skip numbers")
    func skips() async throws {
        try await TestAPI.run { api in
            let outbox = Outbox(try await api.session())
            try await outbox.begin()
            let last = 9_007_199_254_740_991
            #expect(try await outbox.send(from: 7, Outbox.increment).results == ["7 committed"])
            #expect(try await outbox.send(from: last, Outbox.increment).at("/through") == .integer(last))
            #expect(try await outbox.send(from: last, Outbox.increment).results == ["\(last) committed again"])
        }
    }

    @Test("of the wrong form is 422 as a whole", arguments: wrongBodies)
    func wrongForms(_ body: String, _ pointer: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            try await Outbox(session).begin()
            let answer = try await api.send(
                TestRequest(
                    "POST", session.path + "/sync", [("Content-Type", "application/json")],
                    body: Array(body.replacing("CLIENT", with: Outbox.usualClient).utf8)))
            #expect(answer.status == 422 && answer.code == "invalid-payload")
            #expect(answer.at("/errors/0/pointer") == .string(pointer))
            #expect(try await session.revision() == 0)
        }
    }

    private static let entry = #"{"actions":[{"type":"counter/increment"}]}"#

    private static let wrongBodies = [
        ("[]", ""), ("{}", "/client"), (#"{"client":"CLIENT"}"#, "/from"),
        (#"{"client":"tooShort","from":1}"#, "/client"), (#"{"client":"kJ2vQ5Zr8mXw1bTn3yLd7+","from":1}"#, "/client"),
        (#"{"client":"\#(String(repeating: "a", count: 65))","from":1}"#, "/client"),
        (#"{"client":"CLIENT","from":0}"#, "/from"), (#"{"client":"CLIENT","from":1.5}"#, "/from"),
        (#"{"client":"CLIENT","from":9007199254740992}"#, "/from"),
        (#"{"client":"CLIENT","from":9007199254740991,"entries":[\#(entry),\#(entry)]}"#, "/entries"),
        (#"{"client":"CLIENT","new":true,"from":2}"#, "/from"),
        (#"{"client":"CLIENT","new":true,"from":1,"entries":[\#(entry)]}"#, "/entries"),
        (#"{"client":"CLIENT","from":1,"dryRun":true}"#, "/dryRun"),
        (#"{"client":"CLIENT","from":1,"entries":[{"actions":[]}]}"#, "/entries/0/actions"),
        (#"{"client":"CLIENT","from":1,"entries":[{"actions":[5],"x":1}]}"#, "/entries/0/x"),
        (#"{"client":"CLIENT","from":1,"entries":[\#(entry),{"actions":[5],"ifMatch":"\"1"}]}"#, "/entries/1/ifMatch"),
        (
            #"{"client":"CLIENT","from":1,"entries":[\#(Array(repeating: entry, count: 101).joined(separator: ","))]}"#,
            "/entries"
        ),
    ]

    @Test(
        "takes no field and no parameter that would say something else",
        arguments: [
            ("If-Match", "\"0\""), ("Idempotency-Key", "\"a\""), ("", "?dryRun=true"), ("", "?dryrun=false"),
        ])
    func refusedForms(_ name: String, _ value: String) async throws {
        try await TestAPI.run { api in
            var outbox = Outbox(try await api.session())
            try await outbox.begin()
            if !name.isEmpty { outbox.fields = [(name, value)] }
            let answer = try await outbox.post(
                outbox.body(from: 1, [Outbox.increment]), query: name.isEmpty ? value : "")
            #expect(answer.status == 400 && answer.code == "malformed-request")
        }
    }

    @Test("of many bytes is parsed beside the event loops, and refused alike")
    func longBodies() async throws {
        try await TestAPI.run(configuration: .with { $0.http.maxBodyBytes = 1 << 20 }) { api in
            let outbox = Outbox(try await api.session())
            try await outbox.begin()
            let long = Outbox.entry("user/rename", ["name": .string(String(repeating: "x", count: 70_000))])
            #expect(try await outbox.send(from: 1, long, Outbox.increment).results == ["1 refused", "2 committed"])
            let again = ["1 refused again", "2 committed again"]
            #expect(try await outbox.send(from: 1, long, Outbox.increment).results == again)
            // A short body is hashed elsewhere.
            #expect(try await outbox.send(from: 2, Outbox.increment).results == ["2 committed again"])
            #expect(try await outbox.send(from: 2, long).code == "sequence-conflict")
            #expect(try await outbox.send(from: 0, long).code == "invalid-payload")
            #expect(try await outbox.send(from: 1, long).code == "sequence-conflict", "the outcome of 1 is forgotten")
            var other = outbox
            other.client = String(outbox.client.reversed())
            #expect(try await other.send(from: 1, long).code == "client-forgotten")
        }
    }

    @Test("of 100 entries of 100 actions runs whole")
    func manyActions() async throws {
        try await TestAPI.run(configuration: .with { $0.http.maxBodyBytes = 1 << 20 }) { api in
            let session = try await api.session()
            let outbox = Outbox(session)
            try await outbox.begin()
            let batch = Outbox.entry(Array(repeating: ["type": "counter/increment", "payload": ["by": 1]], count: 100))
            let answer = try await outbox.post(outbox.body(from: 1, Array(repeating: batch, count: 100)))
            #expect(answer.at("/through") == 100 && answer.revision == 10_000)
            #expect(try await outbox.read(from: 1).json["results"]?.asArray?.count == 100)
            #expect(try await session.state("/counter/count") == 10_000)
        }
    }

    @Test("that comes twice at the same time is run once")
    func twiceAtOnce() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("login")
            let outbox = Outbox(session)
            try await outbox.begin()
            let entry = Outbox.entry("login/enteringCredential", ["username": "ada"])
            let answers = try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for _ in 0..<4 { group.addTask { try await outbox.send(from: 1, entry, entry) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 && $0.at("/through") == 2 })
            let isFirst = answers.count { $0.results.first == "1 committed" }
            #expect(isFirst == 1)
            #expect(try await session.revision() == 2)
        }
    }
}
