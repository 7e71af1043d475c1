import JSON
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct PayloadTests {
    private static let twoCodePoints = "👍🏽"

    private static func title(_ count: Int) -> String { String(repeating: twoCodePoints, count: count) }
    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// Payloads just within what is allowed.
    @Test(arguments: [
        ("counter/increment", #"{"by":1000000}"#), ("counter/decrement", "{}"), ("counter/increment", #"{"by":1e2}"#),
        ("user/balanceIncrease", #"{"value":1000000000000}"#),
        ("betslip/addSelection", #"{"id":"a","event":"b","outcome":"c","odds":101}"#),
        ("betslip/addSelection", #"{"id":"a","event":"b","outcome":"c","odds":100000}"#),
        ("betslip/setStake", #"{"id":"a","stake":0}"#), ("betslip/setStake", #"{"id":"a","stake":1000000000000}"#),
        ("login/enteringCredential", #"{"username":"\#(title(256))"}"#),
        ("login/enteringCredential", #"{"password":""}"#),
        ("tasks/add", #"{"title":"\#(title(500))"}"#), ("tasks/add", #"{"title":"a","due":"2024-02-29"}"#),
        ("tasks/edit", #"{"id":1,"due":null}"#), ("tasks/edit", #"{"id":-1,"title":"a","due":null,"isDone":false}"#),
        ("tasks/move", #"{"id":1,"index":9223372036854775807}"#), ("calendar/selectDay", #"{"day":null}"#),
        ("settings/update", #"{"locale":"zh-Hant-TW-u-co-stroke"}"#), ("settings/update", #"{"theme":"system"}"#),
    ])
    func isAllowed(_ type: String, _ payload: String) throws {
        #expect(try violations(type, payload) == [])
    }

    /// Payloads just beyond it, and where they are wrong.
    @Test(arguments: [
        ("counter/increment", #"{"by":0}"#, "/payload/by"), ("counter/increment", #"{"by":1000001}"#, "/payload/by"),
        ("counter/increment", #"{"by":1.5}"#, "/payload/by"), ("counter/increment", #"{"to":1}"#, "/payload/to"),
        ("counter/increment", #"{"by":99999999999999999999999}"#, "/payload/by"),
        ("counter/increment", #"{"by":null}"#, "/payload/by"),
        ("user/balanceIncrease", "{}", "/payload/value"),
        ("user/balanceIncrease", #"{"value":1000000000001}"#, "/payload/value"),
        ("betslip/addSelection", #"{"id":"a","event":"b","outcome":"c","odds":100}"#, "/payload/odds"),
        ("betslip/addSelection", #"{"id":"a","event":"b","outcome":"c","odds":100001}"#, "/payload/odds"),
        ("betslip/addSelection", #"{"id":"","event":"b","outcome":"c","odds":200}"#, "/payload/id"),
        ("betslip/setStake", #"{"id":"a","stake":-1}"#, "/payload/stake"),
        ("betslip/setStake", #"{"id":"a","stake":1000000000001}"#, "/payload/stake"),
        ("betslip/placeBet", #"{"id":"a"}"#, "/payload/id"),
        ("login/enteringCredential", "{}", "/payload"),
        ("login/enteringCredential", #"{"username":"a","password":"b"}"#, "/payload"),
        ("login/enteringCredential", #"{"username":"\#(text(257))"}"#, "/payload/username"),
        ("login/enteringCredential", #"{"password":7}"#, "/payload/password"),
        ("tasks/add", #"{"title":""}"#, "/payload/title"),
        ("tasks/add", #"{"title":"\#(title(501))"}"#, "/payload/title"),
        ("tasks/add", #"{"title":"a","due":"2023-02-29"}"#, "/payload/due"),
        ("tasks/edit", #"{"id":1}"#, "/payload"), ("tasks/edit", #"{"isDone":true}"#, "/payload/id"),
        ("tasks/edit", #"{"id":1,"due":"2026-13-01"}"#, "/payload/due"),
        ("tasks/move", #"{"id":1,"index":-1}"#, "/payload/index"),
        ("calendar/selectDay", "{}", "/payload/day"), ("calendar/selectDay", #"{"day":"today"}"#, "/payload/day"),
        ("settings/update", "{}", "/payload"), ("settings/update", #"{"theme":"blue"}"#, "/payload/theme"),
        ("settings/update", #"{"locale":"en_GB"}"#, "/payload/locale"),
    ])
    func isRefused(_ type: String, _ payload: String, _ pointer: String) throws {
        #expect(try violations(type, payload).first == pointer)
    }

    @Test(arguments: [#"{}"#, #"{"username":"a","password":"b","remember":true}"#, #"{"username":null}"#])
    func theFormWantsOneOrBoth(_ payload: String) throws {
        #expect(try violations("form/set", payload, of: LoginForm.store.kind) != [])
        #expect(try violations("form/set", #"{"password":"b","username":"a"}"#, of: LoginForm.store.kind) == [])
    }

    /// The places at which a payload is refused.
    private func violations(_ type: String, _ payload: String, of kind: StoreKind = App.store.kind) throws -> [String] {
        let json = try JSONValue(parsing: #"{"type":"\#(type)","payload":\#(payload)}"#)
        let result = try #require(dispatched(json, to: kind.makeStore()))
        guard case .refused(let refusal, nil) = result.outcome else { return [] }
        guard case .invalidPayload(let violations) = refusal else { throw refusal }
        return violations.map(\.pointer.description)
    }

    private func dispatched(_ body: JSONValue, to store: HostedStore) -> DispatchResult? {
        nonisolated(unsafe) var result: DispatchResult?
        store.dispatch(body, DispatchOptions()) { result = $0 }
        return result
    }

    /// The action log has each action as it was sent, but for secrets.
    @Test func theLogHasWhatWasSent() throws {
        let kind = App.store.kind
        var logged = 0
        for action in kind.actions where action.audience == .client {
            let recorder = ReplayRecorder(kind.initialSnapshot)
            _ = dispatched(action.example, to: kind.makeStore(recorder: recorder))
            // Some are out of season.
            guard let record = recorder.records.first else { continue }
            #expect(record.type == action.type)
            #expect(JSONValue.object(record.payload) == action.example["payload"] ?? [:])
            logged += 1
        }
        #expect(logged > 8)
        let recorder = ReplayRecorder(kind.initialSnapshot)
        let entering: JSONValue = ["type": "login/enteringCredential", "payload": ["password": "some password"]]
        _ = dispatched(entering, to: kind.makeStore(recorder: recorder))
        #expect(recorder.records.map(\.payload) == [["password": "***"]])
    }
}
