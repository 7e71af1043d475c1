import Foundation
import JSON
import Journal
import RemoteServices
import StoreHosting
import StorehouseServer
import StorehouseTesting
import Stores
import StoresTesting
import Testing

private struct Till: Sendable, Equatable {
    var receipt = ""
    var isPaid = false
    var reason: String?
    var calls = PendingCalls()

    static let pay = Action<Till, Int>("pay", "Pays.", .integer("cents", 1...9999)) { _, _ in }

    static let payment = Fetch(
        "payment", on: pay, from: "bank", at: "/receipt", as: String.self,
        retry: .upTo(5, every: .seconds(1), in: \.calls)
    ) { _, cents in
        .post(["cents": .integer(cents)])
    } then: { till, _, receipt, _ in
        till.receipt = receipt
        till.isPaid = true
    } failed: { till, _, failure, _ in
        till.reason = failure.answer.map { "\($0.status) \($0.body)" } ?? failure.code.rawValue
    }.secret()

    static let store = StoreDefinition("till", "A till.", Till()) {
        Member("receipt", \.receipt, .secret)
        Member("isPaid", \.isPaid)
        Member("reason", \.reason)
        Member("calls", \.calls)
        pay
        payment
    }
}

/// Payments on a real server.
@Suite(.timeLimit(.minutes(10))) struct PaymentTests {
    private let bank = ScriptedRemoteClient()
    private let pay: JSONValue = ["type": "till/pay", "payload": ["cents": 500]]

    private var keys: Set<String> { Set(bank.requests.compactMap { $0.headers["Idempotency-Key"] }) }

    @Test func aPaymentContinuesOnTheNextServer() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "payments-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "till.db").path
        let session = try await TestServer.run(
            [Till.store], upstreams: ["bank": bank], storage: .sqlite(file)
        ) { server in
            let session = try await server.createSession()
            #expect(try await server.dispatch(pay, to: session).status == 200)
            await bank.called(times: 1)
            return session
        }
        try await TestServerTests.whenClosed {
            try await TestServer.run([Till.store], upstreams: ["bank": bank], storage: .sqlite(file)) { server in
                #expect(try await server.send("GET", session).status == 200)
                await bank.called(times: 2)
                #expect(keys.count == 1)
                #expect(bank.requests[0] == bank.requests[1])
                bank.reply(#"{"receipt":"R-4711"}"#)
                var state = try await server.send("GET", session + "/state").json()
                while state["state"]?["isPaid"] != true {
                    state = try await server.send("GET", session + "/state?wait=10").json()
                }
                #expect(state["state"] == ["isPaid": true, "reason": nil])
                let log = try await server.send("GET", session + "/actions")
                #expect(!String(decoding: log.body, as: UTF8.self).contains("R-4711"))
                let types = try log.json()["actions"]?.asArray?.compactMap { $0["type"]?.asString }
                #expect(types == ["till/pay", "till/payment-try", "till/payment-try", "till/payment"])
            }
        }
    }

    @Test func aDeclinedPaymentSaysWhy() async throws {
        try await TestServer.run([Till.store], upstreams: ["bank": bank]) { server in
            let session = try await server.createSession()
            bank.reply(status: 402, #"{"reason":"no-funds"}"#)
            let answer = try await server.dispatch(pay, to: session, waitingForEffects: true)
            #expect(try answer.text(at: "state", "reason") == #"402 {"reason":"no-funds"}"#)
        }
    }

    @Test func aForkPaysNothing() async throws {
        try await TestServer.run([Till.store], upstreams: ["bank": bank]) { server in
            let session = try await server.createSession()
            #expect(try await server.dispatch(pay, to: session).status == 200)
            await bank.called(times: 1)
            // The revision of the payment has no key yet.
            for revision in [1, 2] {
                let made = try await server.send("POST", session + "/forks", json: ["revision": .integer(revision)])
                let fork = "/sessions/" + (try made.text(at: "id"))
                #expect(try await server.send("GET", fork + "/state").text(at: "state", "reason") == "interrupted")
            }
            #expect(bank.requests.count == 1)
            bank.reply(#"{"receipt":"R"}"#)
        }
    }

    /// A session that has begun a payment which has no key yet, as a document of `storehouse export`.
    private func exportedPayment(_ directory: URL) async throws -> (id: String, document: JSONValue) {
        let file = directory.appending(path: "till.db").path
        let session = try await TestServer.run([Till.store], upstreams: ["bank": bank], storage: .sqlite(file)) {
            let session = try await $0.createSession()
            #expect(try await $0.dispatch(pay, to: session).status == 200)
            await bank.called(times: 1)
            return session
        }
        let id = String(session.dropFirst("/sessions/".count))
        var document: JSONValue = [:]
        try await TestServerTests.whenClosed {
            document = try JSONValue(parsing: try SQLiteStorage.export(id, from: file))
        }
        let payment = try #require(document["commits"]?[0])
        #expect(payment["type"] == "till/pay")
        #expect(payment["hidden"]?.description.contains("payment") == true)
        #expect(payment["hidden"]?.description.contains("keyText") == false)
        document["commits"] = [payment]
        return (id, document)
    }

    /// The state of a session that a server loads from an imported document.
    private func state(of document: JSONValue, as id: String?, _ directory: URL) async throws -> JSONValue? {
        let file = directory.appending(path: UUID().uuidString + ".db").path
        let session = try SQLiteStorage.insert(document.encoded(), into: file, as: id)
        return try await TestServer.run([Till.store], upstreams: ["bank": bank], storage: .sqlite(file)) {
            try await $0.send("GET", "/sessions/\(session)/state").json()["state"]
        }
    }

    private func inDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "payments-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    private static let interrupted: JSONValue = ["isPaid": false, "reason": "interrupted"]

    /// The session that was exported pays, and may still run.
    @Test(arguments: [false, true])
    func anImportWithANewIDPaysNothing(isInitialState: Bool) async throws {
        try await inDirectory { directory in
            let exported = try await exportedPayment(directory)
            var document = exported.document
            if isInitialState {
                document["initial"]["hidden"] = document["commits"]?[0]?["hidden"]
                document["commits"] = []
            }
            let copy = String(exported.id.reversed())
            #expect(try await state(of: document, as: copy, directory) == Self.interrupted)
            #expect(bank.requests.count == 1)
            #expect(try await state(of: document, as: nil, directory) == ["isPaid": false, "reason": nil])
            await bank.called(times: 2)
        }
    }

    /// Its process was killed before it could commit the failure.
    @Test func aForkWithoutACommitOfItsOwnPaysNothing() async throws {
        try await inDirectory { directory in
            var (_, document) = try await exportedPayment(directory)
            document["initial"]["hidden"] = document["commits"]?[0]?["hidden"]
            document["commits"] = []
            document["forkedFrom"] = 1
            #expect(try await state(of: document, as: nil, directory) == Self.interrupted)
            #expect(bank.requests.count == 1)
        }
    }

    @Test func sessionsHaveKeysOfTheirOwn() async throws {
        try await TestServer.run([Till.store], upstreams: ["bank": bank]) { server in
            for call in 1...3 {
                let session = try await server.createSession()
                bank.reply(#"{"receipt":"R"}"#)
                #expect(try await server.dispatch(pay, to: session, waitingForEffects: true).status == 200)
                #expect(keys.count == call)
            }
        }
    }
}
