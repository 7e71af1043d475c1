import HTTP
import Stores

/// The page at `/` for browsers: sessions made, watched, acted on and looked back at, by this server's own API.
///
/// It is one document that loads nothing else. Its policy allows the one style and the one script that stand in it, known by
/// their digests, and requests to this server; markup that comes from outside can never become part of it.
enum InspectorPage {
    static let response = Response(
        .ok, contentType: "text/html; charset=utf-8",
        fields: [
            .init("Content-Security-Policy", policy), .init("X-Content-Type-Options", "nosniff"),
            .init("Referrer-Policy", "no-referrer"), .init("Cache-Control", "no-store"),
        ], body: Array(document.utf8))

    private static let document = """
        <!doctype html>
        <html lang="en">
        \(head)
        <style>\(style)</style>
        \(body)
        <script type="module">\(script)</script>
        </html>

        """

    private static let policy = [
        "default-src 'none'", "script-src '\(digest(of: script))'", "style-src '\(digest(of: style))'",
        "connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    private static func digest(of text: String) -> String {
        "sha256-" + Base64.text(of: SHA256.digest(of: Array(text.utf8)))
    }
}
