import JSON

/// The public keys of a PEM file (RFC 7468).
package enum PublicKeyFile {
    /// Why a file cannot be used, as it follows the name of the file.
    package struct Unusable: Error, Sendable, Hashable {
        package let detail: String

        package init(detail: String) { self.detail = detail }
    }

    private static let maxKeys = 100

    /// All keys of a file. Text outside of the blocks is ignored.
    ///
    /// libcrypto must be loaded.
    package static func keys(_ text: String) throws(Unusable) -> [VerificationKey] {
        var keys: [VerificationKey] = []
        var block: (label: Subject, content: String)?
        for line in text.split(whereSeparator: \.isNewline).map({ $0.drop { $0 == " " } }) {
            if let label = label(of: line, "-----BEGIN ") {
                block = (label, "")
            } else if let open = block, label(of: line, "-----END ") == open.label {
                keys.append(try key(open.label, open.content))
                block = nil
            } else {
                block?.content += line.filter { !$0.isWhitespace }
            }
        }
        guard block == nil else { throw Unusable(detail: "ends inside of a key") }
        guard !keys.isEmpty else { throw Unusable(detail: "has no public key in PEM (-----BEGIN PUBLIC KEY-----)") }
        guard keys.count <= maxKeys else { throw Unusable(detail: "has more than \(maxKeys) keys") }
        return keys
    }

    private static func label(of line: Substring, _ prefix: String) -> Subject? {
        let line = line.reversed().drop { $0.isWhitespace }.reversed()
        let text = Array(String(line).utf8)
        guard text.starts(with: prefix.utf8), text.suffix(5).elementsEqual("-----".utf8) else { return nil }
        return Subject(String(decoding: text.dropFirst(prefix.utf8.count).dropLast(5), as: UTF8.self))
    }

    private static func key(_ label: Subject, _ content: String) throws(Unusable) -> VerificationKey {
        switch label {
        case "PUBLIC KEY", "RSA PUBLIC KEY": break
        case "CERTIFICATE":
            throw Unusable(detail: "has a certificate; extract its key with 'openssl x509 -pubkey -noout'")
        case _ where label.utf8.suffix(11).elementsEqual("PRIVATE KEY".utf8):
            throw Unusable(
                detail:
                    "has a private key, which does not belong here; extract the public one with 'openssl pkey -pubout'")
        default: throw Unusable(detail: "has a block of another kind than PUBLIC KEY")
        }
        guard let bytes = Base64.decode(content),
            let key = VerificationKey(der: label == "RSA PUBLIC KEY" ? DER.rsaKey(bytes) : bytes)
        else {
            throw Unusable(
                detail: "has a key that cannot be used; it must be RSA with 2048 bits or more, EC on P-256, or Ed25519")
        }
        return key
    }
}
