public import JSON

// The first two cannot be called. All of them match a mistake, so that the compiler says what is wrong with it.

extension RemoteRequest {
    /// The place of a `POST` has a label.
    @available(
        *, unavailable, message: "the place has a label and follows the body: .post([…], target: \"/path\")"
    )
    public static func post(_ target: String, _ json: JSONValue, isIdempotent: Bool = false) -> RemoteRequest {
        fatalError("unavailable")
    }

    /// The place of a `POST` has a label.
    @available(*, unavailable, message: "the place has a label: .post([…], target: \"/path\")")
    public static func post(_ json: JSONValue, _ target: String, isIdempotent: Bool = false) -> RemoteRequest {
        fatalError("unavailable")
    }

    /// A `POST` of a text as JSON.
    ///
    /// A warning and no error: the compiler prefers to read a literal as a `JSONValue` before it calls what is unavailable.
    @available(
        *, deprecated,
        message:
            "this text is the body; a place has a label: .post([…], target: \"/path\"); for a text write .string(…)"
    )
    public static func post(_ text: String, isIdempotent: Bool = false) -> RemoteRequest {
        post(.string(text), target: nil, isIdempotent: isIdempotent)
    }
}
