import JSON
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct KindTests {
    @Test(arguments: [
        (
            "app",
            #"{"counter":{"count":0},"user":{"balance":0},"#
                + #""betslip":{"selections":[],"placed":[],"totalStake":0},"#
                + #""animal":{"currentAnimal":"","isLoading":false,"error":null},"#
                + #""login":{"status":"idle","hasValidCredentials":false,"isLoading":false,"#
                + #""isAuthenticated":false,"error":null},"#
                + #""tasks":{"entities":{},"ids":[],"favorited":[]},"calendar":{"selectedDay":null},"#
                + #""trends":{"added":0,"completed":0,"removed":0},"#
                + #""settings":{"theme":"system","locale":"en","notifications":true}}"#
        ),
        (
            "login",
            #"{"login":{"status":"idle","hasValidCredentials":false,"isLoading":false,"#
                + #""isAuthenticated":false,"error":null}}"#
        ),
        (
            "login-form",
            #"{"form":{"username":"","hasValidCredentials":false,"isBusy":false,"isAuthenticated":false,"error":null}}"#
        ),
        ("animal", #"{"animal":{"currentAnimal":"","isLoading":false,"error":null}}"#),
        (
            "betting",
            #"{"counter":{"count":0},"user":{"balance":0},"#
                + #""betslip":{"selections":[],"placed":[],"totalStake":0}}"#
        ),
        (
            "planner",
            #"{"tasks":{"entities":{},"ids":[],"favorited":[]},"calendar":{"selectedDay":null},"#
                + #""trends":{"added":0,"completed":0,"removed":0},"#
                + #""settings":{"theme":"system","locale":"en","notifications":true}}"#
        ),
    ])
    func beginsWith(_ name: String, _ initialState: String) throws {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == name })
        #expect(String(decoding: kind.initialState, as: UTF8.self) == initialState)
    }

    @Test func allAreThereWithAppFirst() {
        let names = StoreKind.scripted(ScriptedRemoteClient()).map(\.name)
        #expect(names == ["app", "login", "login-form", "animal", "betting", "planner"])
    }

    /// Every example that a client may send is an action: it may come out of season, but is never malformed.
    @Test func examplesAreActions() async throws {
        for kind in StoreKind.scripted(ScriptedRemoteClient()) {
            let store = kind.makeStore()
            for action in kind.actions {
                switch await store.dispatch(action.example).outcome {
                case .committed, .ignored, .rejected: #expect(action.audience == .client, "\(kind.name) \(action.type)")
                case .refused(.internalAction, nil): #expect(action.audience == .internal)
                case let result: Issue.record("\(kind.name) \(action.type): \(result)")
                }
            }
            store.end()
        }
    }

    @Test func everyActionAndFieldIsDescribed() {
        for kind in StoreKind.scripted(ScriptedRemoteClient()) {
            #expect(!kind.summary.isEmpty)
            for action in kind.actions {
                #expect(!action.summary.isEmpty, "\(action.type)")
                let schema = try? JSONValue(parsing: action.payload.text)
                for (name, property) in schema?["properties"]?.asObject ?? [:] {
                    #expect(property["description"]?.asString?.isEmpty == false, "\(action.type) \(name)")
                }
            }
        }
    }
}
