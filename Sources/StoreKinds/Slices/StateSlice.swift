package import JSON
import Stores

/// One slice of a state, that knows the key under which it stands in every kind that holds it.
package protocol StateSlice: Sendable, JSONEncodable {
    static var key: StaticString { get }

    /// The slice at revision 0.
    init()
}

extension JSONWriter {
    /// Writes a slice as a member, under its key.
    mutating func slice(_ slice: some StateSlice) {
        member(type(of: slice).key, slice)
    }
}

/// The state of a kind that holds one slice.
package struct Alone<Slice: StateSlice>: HostedState {
    package var slice = Slice()

    package init() {}

    package func encode(into json: inout JSONWriter) {
        json.object { $0.slice(slice) }
    }
}
