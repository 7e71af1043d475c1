import JSON
import StorehouseServer
import Testing

@Suite struct SealingKeyTests {
    private static let bytes = Array(0xE0...0xFF as ClosedRange<UInt8>)

    @Test(arguments: [
        "4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8=",
        "4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8",
        "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        "E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF",
    ])
    func base64AndHexadecimalAreAccepted(_ text: String) throws {
        #expect(SealingKey(text)?.bytes == Self.bytes)
        let configuration = try Configuration(environment: ["STOREHOUSE_STORAGE_KEY": text])
        #expect(configuration.storage.key?.bytes == Self.bytes)
        #expect(configuration.json["storage"]?["key"] == "***")
        var dumped = ""
        dump(configuration, to: &dumped)
        for shown in [dumped, "\(configuration)", configuration.document] {
            #expect(!shown.contains(text) && !shown.contains("224"))
        }
    }

    @Test(arguments: [
        "4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/g==",  // 31 bytes
        "4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8A",  // 33
        "4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v9=",  // bits behind the last byte
        "4OHi4-Tl5ufo6err7O3u7_Dx8vP09fb3-Pn6-_z9_v8=",
        "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfe",
        "g0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff ",
        "ééééééééééééééééééééééééééééééée",
    ])
    func anyOtherTextIsRejected(_ text: String) { #expect(SealingKey(text) == nil) }

    @Test func anEmptyVariableIsNoKey() throws {
        #expect(try Configuration(environment: ["STOREHOUSE_STORAGE_KEY": ""]).storage.key == nil)
    }
}
