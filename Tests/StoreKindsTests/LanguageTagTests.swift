import StoreKinds
import Testing

@Suite struct LanguageTagTests {
    /// Among them the examples of RFC 5646, appendix A.
    static let wellFormed = [
        "de", "fr", "ja", "i-enochian", "zh-Hant", "zh-Hans", "sr-Cyrl", "sr-Latn", "zh-cmn-Hans-CN", "cmn-Hans-CN",
        "zh-yue-HK", "yue-HK", "zh-Hans-CN", "sr-Latn-RS", "sl-rozaj", "sl-rozaj-biske", "sl-nedis", "de-CH-1901",
        "sl-IT-nedis", "hy-Latn-IT-arevela", "de-DE", "en-US", "es-419", "de-CH-x-phonebk", "az-Arab-x-AZE-derbend",
        "x-whatever", "qaa-Qaaa-QM-x-southern", "de-Qaaa", "sr-Latn-QM", "sr-Qaaa-RS", "en-US-u-islamcal",
        "zh-CN-a-myext-x-private", "en-a-myext-b-another", "I-KLINGON", "EN-gb-OED", "sgn-BE-FR", "art-lojban",
        "zh-min-nan", "aaaa", "aaaaaaaa", "zh-aaa-bbb-ccc", "en-1abc-2def", "x-1-2-3", "X-a",
    ]

    static let malformed = [
        "", "a", "en-", "-en", "en--US", "en_US", "de-419-DE", "a-DE", "ar-a-aaa-b", "x", "x-", "en-x", "en-u",
        "en-u-a", "toolonglanguage", "aaaaaaaaa", "e1", "zh-aaa-bbb-ccc-ddd", "en-abcdefghi", "en-US-GB",
        "en-Latn-Cyrl", "en-x-abcdefghi", "ü", "en-Ümlaut", "i-unheard", "en US", "en\n", "1en", "en-u-co-", "aaaa-bbb",
    ]

    @Test(arguments: wellFormed) func isWellFormed(_ tag: String) { #expect(LanguageTag.isWellFormed(tag)) }

    @Test(arguments: malformed) func isMalformed(_ tag: String) { #expect(!LanguageTag.isWellFormed(tag)) }

    /// The pattern that the schema publishes agrees with the check.
    @Test func thePatternAgrees() throws {
        let pattern = try Regex(LanguageTag.expression)
        for tag in Self.wellFormed { #expect(try pattern.wholeMatch(in: tag) != nil, "\(tag)") }
        for tag in Self.malformed { #expect(try pattern.wholeMatch(in: tag) == nil, "\(tag)") }
    }

    @Test func takesLinearTime() {
        #expect(!LanguageTag.isWellFormed(String(repeating: "a-", count: 200_000)))
        #expect(LanguageTag.isWellFormed("en" + String(repeating: "-u-aa", count: 200_000)))
    }
}
