import Observability
import Testing

@Suite("A text that shows no password of a URL")
struct URLRedactionTests {
    @Test(
        "has stars in place of user and password, also of a URL that is written wrongly",
        arguments: [
            ("http://u:PW@host/x", "http://***@host/x"),
            ("'redis://:PW@host:6379/0' is wrong", "'redis://***@host:6379/0' is wrong"),
            ("http://u:P@W@host", "http://***@host"), ("http://PW@host", "http://***@host"),
            ("http://u:PW/PW@host/x", "http://***@host/x"), ("http://u:PW PW@host", "http://***@host"),
            ("http://u:PW?PW#PW@host", "http://***@host"),
            ("http://a:PW@b and https://c:PW@d", "http://***@b and https://***@d"),
            ("http://u:PW@host:99999 PW2", "http://***@host:99999 PW2"),
        ])
    func passwords(text: String, shown: String) { #expect(text.withoutUserInfo == shown) }

    @Test(
        "is as it was without them",
        arguments: [
            "", "no URL of user@host", "http://host/a@b", "http://host:8080/?mail=a@b", "'http://host:8080' a@b",
            "http://[::1]:80/a@b",
            "http://host", "://",
        ])
    func others(text: String) { #expect(text.withoutUserInfo == text) }
}
