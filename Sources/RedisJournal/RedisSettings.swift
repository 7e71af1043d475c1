import CCrypto
import Cluster
import StoreHosting

/// How a process uses Redis.
struct RedisSettings: Sendable {
    let address: RedisAddress
    /// The first part of all keys.
    let prefix: String
    let isRelaxed: Bool
    let replicas: Int
    let sealer: any SecretSealer
    /// Nil for a process that claims no sessions.
    var node: RedisNode?
    var timeouts = RedisTimeouts()
    /// Whether the settings of the server are not checked: it need not show them.
    var areTrusted = false

    /// How losses are found out.
    var terms: StorageLineage.Terms { StorageLineage.Terms(replicas: replicas, isRelaxed: isRelaxed) }

    /// Asks for the settings, if they are checked.
    var query: RedisCommand { areTrusted ? RedisCommand("PING") : RedisFacts.query }

    /// The hash tag that all keys begin with.
    var tag: String { "{\(prefix)}" }

    /// The keys of a script that works on no session.
    var keys: RedisKeys { RedisKeys(tag: tag) }
}

/// A node among others that share the sessions.
struct RedisNode: Sendable {
    /// Where other nodes reach it. It is its name.
    let address: String
    /// Tells the secret of the nodes from another one, and not what it is.
    let secretCode: [UInt8]
    /// For how long sessions belong to the node after a sign of life.
    let lease: Duration

    init(_ address: String, secret: String, _ lease: Duration) {
        self.address = address
        self.lease = lease
        var code = [UInt8](repeating: 0, count: Int(CCRYPTO_DIGEST_LENGTH))
        let (key, text) = (Array(secret.utf8), Array("storehouse cluster.secret".utf8))
        _ = ccrypto_hmac_sha256(key, key.count, text, text.count, &code)
        secretCode = code
    }
}
