/// Keeps the outbox of a client, and the newest confirmed state.
///
/// One store uses it, and waits for each call before the next. Entries and cache are bytes that only the client reads.
package protocol ClientStorage: Sendable {
    /// All that is kept under a name. It is called first, and once; all other calls are about this name.
    ///
    /// A row that a crash has torn is left out, and so is one that is damaged. Of two rows with one number, the later one counts.
    /// - Parameter name: server, session, selection and user. Each name has an outbox of its own.
    func load(_ name: String) async throws -> StoredOutbox

    /// Keeps entries. They are durable when it returns; if it throws, none of them is kept.
    func append(_ rows: [OutboxRow]) async throws

    /// Keeps what became of entries; durable when it returns.
    func advance(_ progress: OutboxProgress) async throws

    /// Replaces the cache. It may be lost, but is never torn.
    func save(_ cache: [UInt8]) async throws

    /// Deletes all that is kept under the name.
    func clear() async throws
}

/// The contents of a storage.
package struct StoredOutbox: Sendable, Hashable {
    /// The newest client id; nil if there was none yet.
    package var client: String?
    /// The highest number of an entry that there ever was.
    package var last: Int
    /// The highest number that may have reached the server under this client id.
    package var sent: Int
    /// The entries that are not done, in the order of their numbers.
    package var rows: [OutboxRow]
    /// Nil if there is none.
    package var cache: [UInt8]?
    /// Tells that entries may be lost; nil if all is well.
    package var damage: StorageFailure?

    package init(
        client: String? = nil, last: Int = 0, sent: Int = 0, rows: [OutboxRow] = [], cache: [UInt8]? = nil,
        damage: StorageFailure? = nil
    ) {
        self.client = client
        self.last = last
        self.sent = sent
        self.rows = rows
        self.cache = cache
        self.damage = damage
    }
}

/// An entry of an outbox, as it is kept.
package struct OutboxRow: Sendable, Hashable {
    /// The place of the entry in the outbox, from 1.
    package var number: Int
    package var bytes: [UInt8]

    package init(number: Int, bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }
}

/// How far an outbox has come.
package struct OutboxProgress: Sendable, Hashable {
    package var client: String
    /// The highest number that may have reached the server under this client id. A new id begins with 0.
    package var sent: Int
    /// The numbers of entries that need not be kept any more.
    package var done: [Int]

    package init(client: String, sent: Int, done: [Int] = []) {
        self.client = client
        self.sent = sent
        self.done = done
    }
}
