import JSON
import Security

/// Texts in the bodies of requests that other clients see beside texts of the server.
enum PlainTexts {
    /// The faults of those texts that control the text around them.
    ///
    /// - Parameter places: where the body may have such a text, or an array of them.
    static func violations(of body: JSONValue, at places: [JSONPointer]) -> [JSONSchema.Violation] {
        places.flatMap { place -> [JSONSchema.Violation] in
            guard let value = place.value(in: body) else { return [] }
            guard let elements = value.asArray else { return violation(of: value, at: place).map { [$0] } ?? [] }
            return elements.enumerated().compactMap { index, element in
                violation(of: element, at: JSONPointer(tokens: place.tokens + ["\(index)"]))
            }
        }
    }

    private static func violation(of value: JSONValue, at place: JSONPointer) -> JSONSchema.Violation? {
        guard let text = value.asString, !text.isPlain else { return nil }
        return JSONSchema.Violation(
            pointer: place,
            detail: "must have no control characters, line separators or characters that change the direction of text")
    }
}
