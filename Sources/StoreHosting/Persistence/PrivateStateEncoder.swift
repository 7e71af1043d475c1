public import JSON

/// Takes the members of an object that only the store knows, one after the other; see ``Restorable``.
public struct PrivateStateEncoder: ~Copyable {
    /// What becomes of secrets.
    @usableFromInline
    enum Secrets {
        /// They stand as they are: in memory, to be compared.
        case clear
        case leftOut
        case sealed(any SecretSealer)
    }

    @usableFromInline var json: JSONWriter
    private let secrets: Secrets
    /// How many members there were.
    @usableFromInline private(set) var count = 0

    /// - Parameter json: what is written into, behind what is there.
    init(_ json: consuming JSONWriter, _ secrets: Secrets) {
        self.json = json
        self.secrets = secrets
    }

    /// A member that stands in clear where the state is kept.
    ///
    /// - Parameters:
    ///   - name: a constant without quotes, backslashes and control characters.
    ///   - value: written as JSON.
    @inlinable
    public mutating func member(_ name: StaticString, _ value: some JSONEncodable) {
        countOne()
        json.member(name, value)
    }

    /// A member that must never stand in clear: it is sealed, or left out where the environment has nobody who seals.
    ///
    /// - Parameters:
    ///   - name: a constant without quotes, backslashes and control characters.
    ///   - text: the secret; an empty one is none, and is kept as it is.
    public mutating func secret(_ name: StaticString, _ text: String) {
        countOne()
        switch secrets {
        case _ where text.isEmpty: json.member(name, text)
        case .clear: json.member(name, text)
        case .leftOut: break
        case .sealed(let sealer): json.member(name, ifPresent: Sealed.seal(text, by: sealer))
        }
    }

    /// A member that hides members itself.
    @inlinable
    public mutating func part(_ name: StaticString, _ part: some Restorable) {
        json.name(name)
        open()
        part.encodePrivate(into: &self)
        close()
    }

    @usableFromInline
    mutating func open() { json.beginObject() }

    @usableFromInline
    mutating func close() { json.endObject() }

    @usableFromInline
    mutating func countOne() { count += 1 }

    /// What was written, as a copy.
    var bytes: [UInt8] { json.bytes }
}
