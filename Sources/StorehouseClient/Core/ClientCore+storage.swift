import JSON

extension ClientCore {
    // ---- Loading

    func load() {
        guard storage != nil else { return loaded(StoredOutbox()) }
        Task { [weak self] in await self?.loadStored() }
    }

    private func loadStored() async {
        let user: String?
        do {
            let token = try await access.get()
            user = options.user ?? TokenClaims(token).subject
        } catch {
            // Without a token nobody knows whose outbox to open.
            owner?.report(.token(error))
            let delay = Backoff.delay(failures: loadFailures, retry: 0, random: environment.random())
            loadFailures += 1
            return loadAlarm.set(environment.clock.now + delay)
        }
        guard end == nil else { return }
        let name = ["storehouse", address.text, options.select ?? "", user ?? ""].joined(separator: " ")
        do {
            loaded(try await storage?.run { try await $0.load(name) } ?? StoredOutbox())
        } catch {
            owner?.report(.storage(error))
            storage = nil
            loaded(StoredOutbox())
        }
    }

    private func loaded(_ stored: StoredOutbox) {
        guard end == nil else { return }
        if let damage = stored.damage { owner?.report(.storage(damage)) }
        let client = stored.client ?? environment.makeID()
        if let cached = stored.cache.flatMap({ CachedState($0) }) { adopt(cached, client) }
        let entries = stored.rows.compactMap { row in Entry(key: makeKey(), row) }
        saved = stored.client.map { OutboxProgress(client: $0, sent: stored.sent) }
        ledger.load(client: client, last: stored.last, sent: stored.sent, entries)
        isLoaded = true
        settle()
        stream.step(.start)
        appendNew()
        sender.start()
    }

    private func adopt(_ cached: CachedState, _ client: String) {
        var confirmed = cached.confirmed
        guard ownVersion.map({ $0 == confirmed.version }) ?? true else { return }
        if cached.client != client {
            confirmed.mark = nil
            confirmed.through = 0
        }
        ledger.confirmed = confirmed
        do {
            try owner?.read(.all)
        } catch {
            ledger.confirmed = Confirmed()
        }
    }

    // ---- Entries

    /// Gives numbers to the entries that have none, and stores them.
    func appendNew() {
        guard isLoaded, !isAppending, end == nil else { return }
        let new = Array(ledger.unnumbered)
        guard !new.isEmpty else { return }
        guard let storage else { return stored(new.map(\.key)) }
        isAppending = true
        Task { [weak self] in await self?.append(new, to: storage) }
    }

    private func append(_ new: [Entry], to storage: StorageQueue) async {
        let first = ledger.last + 1
        let rows = new.enumerated().filter { !$1.isSecret }.map { offset, entry in
            OutboxRow(number: first + offset, bytes: entry.bytes)
        }
        do {
            if !rows.isEmpty { try await storage.run { try await $0.append(rows) } }
            isAppending = false
            if end == nil { stored(new.map(\.key)) }
        } catch {
            isAppending = false
            settle(lost: Set(new.map(\.key)), error)
        }
        appendNew()
    }

    private func stored(_ keys: [Int]) {
        ledger.number(keys)
        owner?.stored(keys)
        sender.pumpSoon()
    }

    // ---- Progress

    func flush() async {
        let done = ledger.takeDone()
        await advance(OutboxProgress(client: ledger.client, sent: ledger.sent, done: done))
    }

    func flushSoon() {
        guard !ledger.done.isEmpty else { return }
        if storage == nil {
            _ = ledger.takeDone()
        } else {
            Task { [weak self] in await self?.flush() }
        }
    }

    func advance(_ progress: OutboxProgress) async {
        // Nothing is new.
        if progress.done.isEmpty, progress == saved { return }
        do {
            try await storage?.run { try await $0.advance(progress) }
            saved = OutboxProgress(client: progress.client, sent: progress.sent)
        } catch {
            // A disk that fails must not stop entries that can be sent.
            owner?.report(.storage(error))
        }
    }

    // ---- Cache

    func cacheSoon() {
        guard storage != nil, isCacheSaved else { return }
        isCacheSaved = false
        saveAlarm.set(environment.clock.now + Self.cachePause)
    }

    func saveCache() {
        isCacheSaved = true
        guard let storage, end == nil, ledger.confirmed.value != nil else { return }
        let cached = CachedState(client: ledger.client, confirmed: ledger.confirmed).encoded
        Task { try? await storage.run { try await $0.save(cached) } }
    }
}

extension Entry {
    /// A stored entry; nil if it has another form.
    fileprivate init?(key: Int, _ row: OutboxRow) {
        guard let json = try? JSONValue(parsing: row.bytes, maximumDepth: JSONValue.maxDepth),
            let actions = json["actions"]?.asArray
        else { return nil }
        self.init(
            key: key, actions: actions, ifMatch: json["ifMatch"]?.asString, number: row.number)
    }
}

/// The confirmed state on disk.
struct CachedState {
    var client: String
    var confirmed: Confirmed

    init(client: String, confirmed: Confirmed) {
        self.client = client
        self.confirmed = confirmed
    }

    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, maximumDepth: JSONValue.maxDepth),
            let client = json["client"]?.asString, let value = json["value"],
            let revision = json["revision"]?.asInteger
        else { return nil }
        self.client = client
        confirmed = Confirmed(
            value: value, revision: revision, eventID: json["id"]?.asString, history: json["history"]?.asString,
            version: json["version"]?.asString, mark: json["mark"]?.asString,
            through: json["through"]?.asInteger ?? 0)
    }

    var encoded: [UInt8] {
        func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
        let json: JSONValue = [
            "client": .string(client), "revision": .integer(confirmed.revision), "id": text(confirmed.eventID),
            "history": text(confirmed.history), "version": text(confirmed.version), "mark": text(confirmed.mark),
            "through": .integer(confirmed.through), "value": confirmed.value ?? .null,
        ]
        return json.encoded()
    }
}
