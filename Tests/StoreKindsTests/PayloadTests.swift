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
        let refused = try JSONValue(parsing: #"{"type":"form/set","payload":\#(payload)}"#)
        #expect(throws: ActionDecodingError.self) { try FormAction.catalogue.action(of: refused) }
        let both = try JSONValue(parsing: #"{"type":"form/set","payload":{"password":"b","username":"a"}}"#)
        let action = try FormAction.catalogue.action(of: both)
        #expect(action == .set([.username("a"), .password(Secret("b"))]))
    }

    private func violations(_ type: String, _ payload: String) throws -> [String] {
        let json = try JSONValue(parsing: #"{"type":"\#(type)","payload":\#(payload)}"#)
        do throws(ActionDecodingError) {
            _ = try AppAction.catalogue.action(of: json)
            return []
        } catch {
            guard case .invalidPayload(let violations) = error else { throw error }
            return violations.map(\.pointer.description)
        }
    }

    /// The description of an action for a log is read back as an equal action, but for secrets.
    @Test func describingReversesReading() throws {
        for declaration in AppAction.catalogue.declarations where declaration.audience == .client {
            let action = try AppAction.catalogue.action(of: declaration.example)
            let (type, payload) = try #require(AppAction.catalogue.describe(action))
            let again: JSONValue = .object(["type": .string(type), "payload": .object(payload)])
            #expect(try AppAction.catalogue.action(of: again) == action)
        }
    }
}
