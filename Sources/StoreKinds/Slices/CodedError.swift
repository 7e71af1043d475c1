package import JSON
package import StoreHosting

/// An error in a state: a stable code for programs and a sentence for people.
package struct CodedError<Code: Sendable & Hashable & CaseIterable & RawRepresentable<String>>: Sendable, Hashable {
    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The fields of an action that reports the error.
    static func fields(example: CodedError) -> (code: Field<Code>, message: Field<String>) {
        (
            .choice("code", example: example.code).described("What kind of failure it was."),
            .string("message", .string(), example: example.message).described("The same in words.")
        )
    }
}

extension CodedError: JSONEncodable {
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("code", code.rawValue)
            json.member("message", message)
        }
    }
}

extension CodedError: JSONSchemaProviding {
    package static var jsonSchema: JSONSchema {
        .object([
            .required("code", .enumeration(Code.allCases.map(\.rawValue))), .required("message", .string()),
        ])
    }
}

extension CodedError: Restorable {
    package init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        let text: String = try persisted.member("code")
        guard let code = Code(rawValue: text) else {
            throw persisted.unreadable("is none of the codes that there are", below: "code")
        }
        self.init(code, try persisted.member("message"))
    }
}
