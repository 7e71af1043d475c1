import HTTP
package import Sessions

/// The formats that a client can ask for.
extension StreamFormat {
    /// The value after each change, as server-sent events.
    package static let state = StreamFormat(.values, ServerSentEvents.shared)
    /// Each change as a JSON Patch, as server-sent events.
    package static let patch = StreamFormat(.patches(ServerSentEvents.shared), ServerSentEvents.shared)

    /// Each change as a line for a terminal.
    package static func text(inColor: Bool) -> StreamFormat { inColor ? coloredText : plainText }

    private static let plainText = terminal(inColor: false)
    private static let coloredText = terminal(inColor: true)

    private static func terminal(inColor: Bool) -> StreamFormat {
        let content = Content.commits { value, showsActions in
            TerminalLines(of: value, inColor: inColor, showsActions: showsActions)
        }
        return StreamFormat(content, TerminalCodec(inColor: inColor))
    }

    /// The type of a stream. It is UTF-8, so a client may ask for that.
    var mediaType: MediaType? { MediaType(codec.contentType) }

    var responseFields: [Response.Field] { [.init("Content-Type", codec.contentType)] + Self.commonFields }

    private static let commonFields: [Response.Field] = [
        .init("Cache-Control", "no-store, no-transform"),
        .init("X-Accel-Buffering", "no"),
        .init("X-Content-Type-Options", "nosniff"),
    ]
}
