import HTTP
import Sessions
import Stores

/// The page at `/` for browsers: it creates, shows and changes sessions with the server's own API, and watches them with the
/// JavaScript client. Its files are in `Page`; `script/inspector` makes its script and style from those in `Source`.
///
/// It is one document that loads nothing else. Its Content-Security-Policy allows its one style and its one script, by a nonce
/// of this response, and requests to this server. Foreign markup can never become part of it.
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

    private static func document(_ nonce: String) -> String { parts.joined(separator: nonce) }

    /// The text between the places of the nonce: `inspector.html` with the other files in it.
    private static let parts: [String] = {
        func text(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }
        let page = text(PackageResources.inspector_html).split(separator: "{nonce}").map(String.init)
        let files = [
            ("/* inspector.css */\n", PackageResources.inspector_css),
            ("// inspector.js\n", PackageResources.inspector_js),
        ]
        return page.map { part in
            files.reduce(part) { part, file in part.replacing(file.0, with: text(file.1), maxReplacements: 1) }
        }
    }()

    private static func policy(_ nonce: String) -> String {
        [
            "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "connect-src 'self'",
            "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }
}
