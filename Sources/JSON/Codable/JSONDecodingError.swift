/// Why JSON is not a value of a `Decodable` type.
public struct JSONDecodingError: Error, Sendable, Hashable {
    /// The invalid value, or the missing member.
    package let pointer: JSONPointer
    /// The reason, as a predicate whose subject is the place: "must be a string". It does not quote the value, which
    /// may be secret.
    package let detail: String

    /// An error of the value at `pointer`.
    package init(pointer: JSONPointer, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }
}

extension JSONDecodingError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String { (pointer.tokens.isEmpty ? "the value" : pointer.description) + " " + detail }
}

extension DecodingError.Context {
    /// The place and the reason also are a ``JSONDecodingError``, which tells them from those of other code.
    init(_ path: [any CodingKey], _ detail: String, at place: [any CodingKey]? = nil) {
        self.init(
            codingPath: path, debugDescription: detail,
            underlyingError: JSONDecodingError(path: place ?? path, detail: detail))
    }
}

extension DecodingError {
    private var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    var explanation: JSONDecodingError? { context?.underlyingError as? JSONDecodingError }

    /// An error that a type threw, with an explanation that does not quote the value.
    static func explaining(_ error: any Error, by type: Any.Type, at path: [any CodingKey]) -> DecodingError {
        guard let error = error as? DecodingError, let context = error.context else {
            return .dataCorrupted(.init(path, "is not valid"))
        }
        if error.explanation != nil { return error }
        if case .keyNotFound(let key, let context) = error {
            return .keyNotFound(
                key, .init(context.codingPath, "is missing", at: context.codingPath + [key]))
        }
        let isRaw = type is any RawRepresentable.Type
        return .dataCorrupted(
            .init(context.codingPath, isRaw ? "is none of the values that there are" : "is not valid"))
    }
}

extension JSONDecodingError {
    init(path: [any CodingKey], detail: String) {
        self.init(pointer: JSONPointer(tokens: path.map(\.stringValue)), detail: detail)
    }

    init(_ error: any Error) {
        self = (error as? DecodingError)?.explanation ?? JSONDecodingError(pointer: .root, detail: "is not valid")
    }
}
