import HTTP

/// The page at `/` for browsers: sessions made, watched, acted on and looked back at, by this server's own API.
///
/// It is one document that loads nothing else. Its policy allows the one style and the one script that stand in it, known by a
/// nonce of this answer, and requests to this server; markup that comes from outside can never become part of it.
enum InspectorPage {
    static func response() -> Response {
        let nonce = SessionID.random().description
        return Response(
            .ok, contentType: "text/html; charset=utf-8",
            fields: [
                .init("Content-Security-Policy", policy(nonce)), .init("X-Content-Type-Options", "nosniff"),
                .init("Referrer-Policy", "no-referrer"), .init("Cache-Control", "no-store"),
            ], body: Array(document(nonce).utf8))
    }

    private static func document(_ nonce: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        \(head)
        <style nonce="\(nonce)">\(style)</style>
        \(body)
        <script type="module" nonce="\(nonce)">\(script)</script>
        </html>

        """
    }

    private static func policy(_ nonce: String) -> String {
        [
            "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "connect-src 'self'",
            "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }
}
