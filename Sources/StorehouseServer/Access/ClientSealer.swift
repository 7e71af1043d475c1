import JSON
import Security
import Sessions
import Threads

// The sealed form: a JSON object with short names.
extension Share {
    /// Nil for a share of an earlier release, of which no other text is made.
    fileprivate var encoded: [UInt8]? {
        guard case .stored(let id) = form else { return nil }
        var json = JSONWriter(reservingCapacity: 128)
        json.object { json in
            json.member("i", session.description)
            json.member("x", id)
            json.member("e", expiresAt)
        }
        return json.finish()
    }

    /// - Parameter name: tells it from other shares, if it has no id.
    fileprivate convenience init?(encoded: [UInt8], name: String) {
        guard let json = try? JSONValue(parsing: encoded),
            let session = json["i"]?.asString.flatMap({ SessionID($0.utf8) }),
            let expiresAt = json["e"]?.asInteger
        else { return nil }
        if let id = json["x"]?.asString {
            self.init(session, .stored(id: id), expiresAt: expiresAt)
            return
        }
        guard let permissions = json["m"]?.asArray?.compactMap({ $0.asSubject.flatMap(Permission.init(named:)) }),
            let generation = json["g"]?.asInteger
        else { return nil }
        let terms = PermitTerms(
            id: name, Permissions(permissions), selection: json["n"]?.asString ?? json["s"]?.asString ?? "",
            expiresAt: expiresAt, generation: generation)
        self.init(session, .sealed(terms), expiresAt: expiresAt)
    }
}

/// Seals what clients carry and must neither read nor change: shares, and the cursors of lists.
///
/// libcrypto is loaded when it is needed first: servers that seal nothing do without it.
final class ClientSealer: Sendable {
    private final class Keys: Sendable {
        let shares: AESSealer?
        let cursors: AESSealer?

        init(_ secret: [UInt8]) {
            func sealer(_ purpose: String) -> AESSealer? {
                guard CryptoLibrary.load() == nil, let key = TokenSigner.code(of: Array(purpose.utf8), secret) else {
                    return nil
                }
                return try? AESSealer(key: key)
            }
            shares = sealer("storehouse share")
            cursors = sealer("storehouse cursor")
        }
    }

    private let secret: [UInt8]
    private let madeKeys = LazyReference<Keys>()

    /// - Parameter secret: the same in every process that must open what this one seals.
    init(secret: [UInt8]) { self.secret = secret }

    private var keys: Keys { madeKeys.load(orStore: Keys(secret)) }

    /// Whether it can seal shares: libcrypto can be loaded.
    var canSealShares: Bool { keys.shares != nil }

    /// The text of a share; nil if libcrypto cannot be loaded.
    func seal(_ share: Share) -> String? {
        share.encoded.flatMap { keys.shares?.seal($0) }.map(Base64URL.encode)
    }

    /// The permit of a client with this text.
    ///
    /// - Parameter now: in milliseconds since 1970.
    func permit(_ text: ArraySlice<UInt8>, at now: Int) throws(Problem) -> any Permit {
        guard let share = share(text), share.expiresAt > now else { throw Problem(.permit(.unknown)) }
        return share
    }

    /// The share with this text; nil if this server did not make it.
    func share(_ text: ArraySlice<UInt8>) -> Share? {
        guard text.count <= Self.maxBytes, let sealed = Base64URL.decode(text), let clear = keys.shares?.open(sealed)
        else {
            return nil
        }
        // The version and the nonce, which are not secret.
        return Share(encoded: clear, name: String(decoding: text.prefix(16), as: UTF8.self))
    }

    /// A text that stands for a place in a list. It hides the session's id from the logs of proxies; without libcrypto the id can be
    /// computed from it.
    func cursor(behind place: some ListPlace) -> String {
        keys.cursors?.seal(Array(place.description.utf8)).map(Base64URL.encode) ?? place.cursor
    }

    /// The place that ``cursor(behind:)`` was made of; nil for any other text, and for a place in another list.
    func place<Place: ListPlace>(behind cursor: String) -> Place? {
        guard let sealer = keys.cursors else { return Place(cursor: cursor) }
        guard cursor.utf8.count <= Self.maxBytes, let sealed = Base64URL.decode(cursor.utf8) else { return nil }
        return sealer.open(sealed).flatMap { Place($0) }
    }

    /// The length of the longest text.
    static let maxBytes = 4096
}
