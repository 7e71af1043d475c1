import CCrypto
import JSON
import Journal
import StoreHosting
import Stores

/// The names of keys.
struct RedisNames: Sendable {
    /// The text with which all keys begin.
    let tag: String

    /// The name of a session, from which nobody can tell its id: SHA-256 in hexadecimal, whose first digits name it in the
    /// log too.
    static func hash(of id: String) -> String {
        var digest = [UInt8](repeating: 0, count: Int(CCRYPTO_DIGEST_LENGTH))
        let bytes = Array(id.utf8)
        _ = ccrypto_sha256(bytes, bytes.count, &digest)
        return digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    func session(_ hash: String) -> String { "\(tag):s:\(hash)" }

    /// The keys that a script gets.
    ///
    /// - Parameter session: the key of a session, or another one; nil for none.
    func keys(_ session: String? = nil) -> RedisKeys { RedisKeys(tag: tag, session: session) }

    func personal(of owner: Subject, kind: String) -> String {
        "\(tag):me:" + Self.hash(of: "\(owner.utf8.count) \(owner)\(kind)")
    }

    /// The key of an initial state that the sessions of a kind share.
    func initial(_ state: [UInt8]) -> String {
        "\(tag):initial:" + Self.hash(of: String(decoding: state, as: UTF8.self))
    }
}

/// Makes the call of a script; nil if the scripts are not known yet.
typealias RedisEncoder = (RedisScript, RedisKeys, consuming RedisArguments) -> RedisCommand?

extension RedisNames {
    /// The commands that end a session.
    ///
    /// - Parameters:
    ///   - claim: that of the caller; empty if the session must be free, or belong to `incarnation`.
    ///   - createdAt: empty to end the session also if it was used.
    func end(
        of hash: String, claim: String, incarnation: String = "", createdAt: String = "", _ encode: RedisEncoder
    ) -> RedisBatch? {
        let arguments = RedisArguments(hash, claim, String(RetentionPolicy.tombstoneTTL), incarnation, createdAt)
        return RedisBatch([encode(.end, keys(session(hash)), arguments)] + removal(of: hash, olderThan: nil, encode))
    }

    /// The commands that remove a session from the indexes after its end, or if it was never created. The index `:used` comes last,
    /// because a node that looks for idle sessions finds the rest by it.
    ///
    /// - Parameter moment: a session that was used later may still be created; nil if it has ended.
    func removal(of hash: String, olderThan moment: Int?, _ encode: RedisEncoder) -> [RedisCommand?] {
        ["me", "due", "ids", "used"].map { index in
            encode(.unindex, keys(session(hash)), RedisArguments(index, hash, moment.map(String.init) ?? ""))
        }
    }
}

/// The data that the creation of a session stores.
struct RedisCreation {
    private let names: RedisNames
    private let hash: String
    private let claim: String
    /// The initial state that it shares, and its key; nil for a fork, which has its own.
    private let shared: (key: String, state: [UInt8])?
    /// The key of the owner's personal session; empty if this is none.
    private let personal: String
    private let owner: Subject?
    private let members: [ActorID]
    /// The fields of the session without `claim`, by their names.
    private let fields: [String: [UInt8]]

    init(
        _ header: SessionHeader, _ names: RedisNames, _ hash: String, claim: String, sealedID: [UInt8], lineageID: Int,
        members: [ActorID] = []
    ) {
        (owner, self.members) = (header.owner, members)
        (self.names, self.hash, self.claim) = (names, hash, claim)
        let initial = header.initial.encoded
        shared = header.forkedFrom == nil ? (names.initial(initial), initial) : nil
        personal = header.isPersonal ? header.owner.map { names.personal(of: $0, kind: header.kind) } ?? "" : ""
        var words = [
            "sequence": "0", "revision": "0", "chain": String(header.checksum), "total": "0", "cut": "0",
            "shares": "0", "losses": String(lineageID), "owner": header.owner?.text ?? "",
        ]
        if let shared { words["initial"] = shared.key }
        if !personal.isEmpty { words["me"] = personal }
        var fields = words.mapValues { Array($0.utf8) }
        (fields["id"], fields["header"]) = (sealedID, header.encoded)
        if shared == nil { fields["state"] = initial }
        self.fields = fields
    }

    private var key: String { names.session(hash) }

    /// The commands that create the session. Entries in the indexes are ignored until the last command is executed.
    func commands(createdAt: Int, _ encode: RedisEncoder) -> RedisBatch? {
        var arguments = RedisArguments(capacity: 768)
        for word in [hash, shared?.key ?? "", personal, claim] { arguments.add(word) }
        for (name, value) in fields {
            arguments.add(name)
            arguments.add(value)
        }
        let preparation = preparation(lastUse: createdAt, encode)
        return RedisBatch(
            preparation + [encode(.create, names.keys(key), arguments)], resultIndex: preparation.count)
    }

    /// The commands that create the session with commits and more: the last of them makes it visible, with all that it has.
    ///
    /// - Parameters:
    ///   - contents: further fields by their names, and other values.
    ///   - now: the last use until the import is finished. A node removes older entries from the indexes if there is no session.
    func commands(importing contents: [String: [UInt8]], now: Int, _ encode: RedisEncoder) -> RedisBatch? {
        // Whether the state has a timer is not known. The next server finds it due, and looks.
        let due = RedisCommand("ZADD", "\(names.tag):due", "NX", "0", hash)
        let temporary = key + ":import:\(RedisLease.randomNumber())"
        let all = fields.merging(contents) { $1 }.merging(["claim": Array(claim.utf8)]) { $1 }
        let commands = all.map { name, value in
            var arguments = RedisArguments("HSET", temporary, name)
            arguments.add(value)
            return RedisCommand(arguments)
        }
        // The key goes by itself if the import is not finished.
        let (begin, end) = (RedisCommand("PEXPIRE", temporary, "3600000"), RedisCommand("PERSIST", temporary))
        var preparation = preparation(lastUse: now, encode)
        preparation += [due] + commands.prefix(1) + [begin]
        preparation += commands.dropFirst() + [end]
        let arguments = RedisArguments(hash, shared?.key ?? "", personal, temporary, String(all.count))
        return RedisBatch(
            preparation + [encode(.finishImport, names.keys(key), arguments)], resultIndex: preparation.count)
    }

    private func preparation(lastUse: Int, _ encode: RedisEncoder) -> [RedisCommand?] {
        var commands: [RedisCommand?] = [
            RedisCommand("ZADD", "\(names.tag):used", "GT", String(lastUse), hash),
            RedisCommand("ZADD", "\(names.tag):ids", "0", hash),
        ]
        if let shared {
            var arguments = RedisArguments("SET", shared.key)
            arguments.add(shared.state)
            arguments.add("NX")
            commands.append(RedisCommand(arguments))
        }
        if owner != nil || !members.isEmpty {
            let relation = RedisNames.relation(of: hash, .add, "", 0, owner: owner, members)
            commands.append(encode(.relate, names.keys(key), relation))
        }
        if !personal.isEmpty { commands.append(encode(.reserve, names.keys(personal), RedisArguments(hash))) }
        return commands
    }
}
