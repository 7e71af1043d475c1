package import JSON
import RemoteServices
package import StoreHosting
import Stores

/// A slice of a state. It has the same key in all kinds that contain it.
package protocol StateSlice: Sendable, ObjectState, Restorable {
    static var key: StaticString { get }

    /// The initial slice.
    init()
}

extension MemberVisitor where Self: ~Copyable {
    /// Encodes a slice as the member with its key.
    mutating func slice(_ slice: some StateSlice) {
        member(type(of: slice).key, slice)
    }
}

extension PrivateStateEncoder {
    /// Encodes the private state of a slice as the member with its key.
    mutating func slice(_ slice: some StateSlice) {
        part(type(of: slice).key, slice)
    }
}

extension PersistedValue {
    /// Restores the slice with its key.
    func slice<Slice: StateSlice>() throws(RestorationError) -> Slice {
        try member(Slice.key.description)
    }
}

/// The state of a kind that holds one slice.
package struct SingleSliceState<Slice: StateSlice>: HostedState, ObjectState, Restorable {
    package var slice = Slice()

    package init() {}

    package init(restoring persisted: PersistedValue) throws(RestorationError) { slice = try persisted.slice() }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) { members.slice(slice) }

    package func encodePrivate(into members: inout PrivateStateEncoder) { members.slice(slice) }
}

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
    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        let text: String = try persisted.member("code")
        guard let code = Code(rawValue: text) else {
            throw persisted.unreadable("is none of the codes that there are", below: "code")
        }
        self.init(code, try persisted.member("message"))
    }
}

extension RemoteFailure {
    /// The failure of a call whose process ended, or whose state was copied to another session.
    static let interrupted = RemoteFailure(.interrupted, "the call was interrupted")
}
