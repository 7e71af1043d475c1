public import JSON

extension JSONValue {
    /// Encodes the private members of a state, one after the other; see ``Restorable``.
    public struct PrivateEncoder: ~Copyable {
        /// How secrets are encoded.
        @usableFromInline
        enum Secrets {
            /// In clear. Only for comparisons in memory.
            case clear
            case leftOut
            case sealed(any SecretSealer)
        }

        @usableFromInline var json: JSONWriter
        private let secrets: Secrets
        /// The number of encoded members.
        @usableFromInline var count = 0

        /// - Parameter json: the writer that the members are appended to.
        init(_ json: consuming JSONWriter, _ secrets: Secrets) {
            self.json = json
            self.secrets = secrets
        }

        /// Encodes a member that is persisted in clear.
        ///
        /// Inlined, because the name is a constant then and takes a few store instructions.
        ///
        /// - Parameters:
        ///   - name: a constant without quotes, backslashes or control characters.
        ///   - value: the value of the member.
        @inlinable @inline(__always)
        package mutating func member(_ name: StaticString, _ value: some JSONEncodable) {
            count += 1
            json.member(name, value)
        }

        /// Encodes a secret. It is sealed, or left out if there is no sealer; it is never persisted in clear.
        ///
        /// - Parameters:
        ///   - name: a constant without quotes, backslashes or control characters.
        ///   - text: the secret. An empty text is persisted in clear.
        @usableFromInline
        package mutating func secret(_ name: StaticString, _ text: String) {
            count += 1
            switch secrets {
            case _ where text.isEmpty: json.member(name, text)
            case .clear: json.member(name, text)
            case .leftOut: break
            case .sealed(let sealer): json.member(name, ifPresent: Sealed.seal(text, by: sealer))
            }
        }

        /// Encodes any value as a secret, whose text is its JSON.
        @inlinable
        mutating func secret(_ name: StaticString, json value: some JSONEncodable) {
            var writer = JSONWriter()
            value.encode(into: &writer)
            fail(writer.failure)
            secret(name, String(decoding: writer.finish(), as: UTF8.self))
        }

        @usableFromInline
        mutating func fail(_ failure: String?) { json.failure = json.failure ?? failure }

        /// Why a member could not be encoded; nil if all could.
        var failure: String? {
            json.failure.map { "A private member of the state cannot be encoded: its encode(to:) \($0)" }
        }

        /// Encodes a member that has private members itself.
        @inlinable @inline(__always)
        package mutating func part(_ name: StaticString, _ part: some Restorable) {
            self.part(name) { part.encodePrivate(into: &$0) }
        }

        /// Encodes an object with the private members that `encode` encodes.
        @inlinable @inline(__always)
        mutating func part(_ name: StaticString, _ encode: (inout JSONValue.PrivateEncoder) -> Void) {
            json.name(name)
            open()
            encode(&self)
            close()
        }

        @usableFromInline
        mutating func open() { json.beginObject() }

        @usableFromInline
        mutating func close() { json.endObject() }

        /// A copy of the encoded text.
        var bytes: [UInt8] { json.bytes }
    }
}

/// Encrypts the secrets of persisted states. It is a class, because each store refers to one.
@usableFromInline
package protocol SecretSealer: AnyObject, Sendable {
    /// Encrypts and authenticates `clear`; nil if that is impossible now, in which case the secret is left out.
    func seal(_ clear: [UInt8]) -> [UInt8]?

    /// Decrypts `sealed`; nil if it was sealed with another key or has been changed.
    func open(_ sealed: [UInt8]) -> [UInt8]?
}

/// The JSON form of a secret: sealed, in base64.
enum Sealed {
    static func seal(_ text: String, by sealer: any SecretSealer) -> String? {
        sealer.seal(Array(text.utf8)).map(Base64.encode)
    }

    static func open(_ text: String, by sealer: any SecretSealer) -> String? {
        guard let bytes = Base64.decode(text).flatMap(sealer.open) else { return nil }
        // `String(validating:as:)` needs macOS 15, iOS 18 or visionOS 2. Bytes that are no UTF-8 become others.
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) ? text : nil
    }
}
