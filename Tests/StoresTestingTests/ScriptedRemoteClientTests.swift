import StoresTesting
import Testing

@Suite struct ScriptedRemoteClientTests {
    @Test func aCallThatDoesNotComeFailsTheTest() async {
        let client = ScriptedRemoteClient()
        await withKnownIssue {
            await client.called(times: 1, within: .milliseconds(1))
        } matching: { issue in
            "\(issue)".contains("expected 1 calls within")
        }
        await withKnownIssue {
            await client.cancelled(times: 2, within: .milliseconds(1))
        }
    }
}
