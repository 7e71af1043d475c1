import JSON
import Stores

/// A store that shows the states and entries of a client.
@MainActor
protocol ClientCoreOwner: AnyObject {
    /// Reads the confirmed value, of which these parts are new.
    func read(_ changed: ChangedPlaces) throws
    /// Shows the confirmed state with the entries replayed on it.
    func show()
    /// Entries have numbers, and are stored.
    func stored(_ keys: [Int])
    /// An entry is no longer pending. Without an error it has its result.
    func left(_ entry: Entry, _ error: (any Error)?)
    /// An event that is no value.
    func heard(_ event: StreamEvent)
    func connected(_ connection: RemoteConnection)
    /// All that is done has left.
    func settled()
    func report(_ report: RemoteReport)
}

/// Joins stream, outbox, ledger and storage.
@MainActor
package final class ClientCore {
    static let cachePause = 1000.0

    let environment: ClientEnvironment
    let address: SessionAddress
    let options: ClientOptions
    let access: Access
    weak var owner: (any ClientCoreOwner)?
    var ledger = Ledger()
    private(set) var stream: StreamReader!
    private(set) var sender: OutboxSender!

    var storage: StorageQueue?
    /// How far the outbox has come by what is stored.
    var saved: OutboxProgress?
    var isLoaded = false
    var isAppending = false
    var isCacheSaved = true
    var loadFailures = 0
    var saveAlarm: Alarm!
    var loadAlarm: Alarm!
    /// The version of the kind that the app was compiled with. To compute it takes a millisecond.
    lazy var ownVersion = options.version?()
    private var hasBegun = false
    /// Tells of changes of the system's network while the client is connected.
    private var watch: AnyObject?
    private var newestKey = 0

    init(
        _ environment: ClientEnvironment, _ address: SessionAddress, _ options: ClientOptions,
        _ storage: OutboxStorage, token: Access.Source?
    ) {
        self.environment = environment
        self.address = address
        self.options = options
        self.storage = storage.make.map { StorageQueue($0()) }
        access = Access(environment.clock, token)
        stream = StreamReader(environment, address, options, access, owner: self)
        sender = OutboxSender(environment, address, access, owner: self)
        saveAlarm = Alarm(environment.clock) { [weak self] in self?.saveCache() }
        loadAlarm = Alarm(environment.clock) { [weak self] in self?.load() }
    }

    var connection: RemoteConnection { stream.connection }

    var end: String? {
        if case .ended(let reason) = connection.status { reason } else { nil }
    }

    /// Connects, once.
    package func begin() {
        guard !hasBegun, end == nil else { return }
        hasBegun = true
        watch = environment.watch { [weak self] in self?.hear($0) }
        load()
    }

    func close() { stream.step(.end(reason: "closed")) }

    /// Deletes all that is stored of this user and session.
    func signOut() async throws {
        close()
        if let storage { try await storage.run { try await $0.clear() } }
    }

    func setToken(_ token: String?) {
        guard access.set(token) else { return owner?.report(.user) ?? () }
        stream.step(.renewed)
        if isLoaded { sender.start() }
    }

    /// The system says something of the network.
    func hear(_ event: ConnectionMachine.Event) {
        stream.step(event)
        if case .offline = event { return }
        sender.hurry()
    }

    func makeKey() -> Int {
        newestKey += 1
        return newestKey
    }

    /// Takes out the entries that are done, and with them those that are lost, and shows once all that has changed.
    func settle(lost: Set<Int> = [], _ error: (any Error)? = nil) {
        let done = ledger.settle()
        let gone = lost.isEmpty ? [] : ledger.remove(lost)
        owner?.show()
        for entry in done { owner?.left(entry, nil) }
        for entry in gone { owner?.left(entry, error) }
        owner?.settled()
    }
}

// ---- Events

extension ClientCore: StreamReaderOwner {
    func deliver(_ events: [StreamEvent]) throws {
        let oldVersion = ledger.confirmed.version
        var before = ledger.confirmed
        before.value = nil
        let news = try ledger.take(events)
        do {
            try owner?.read(news.changed)
        } catch {
            ledger.confirmed = before
            throw error
        }
        if news.isOtherHistory { owner?.report(.history(ledger.confirmed.history)) }
        if ledger.confirmed.version != oldVersion, !isOwnVersion { owner?.report(.version(ledger.confirmed.version)) }
        settle()
        for event in events where !["state", "patch", "ready"].contains(event.type) { owner?.heard(event) }
        sender.pump()
        cacheSoon()
    }

    func misfit(_ error: any Error) {
        ledger.confirmed.eventID = nil
        owner?.report(.patch(error))
    }

    func connected(_ connection: RemoteConnection) {
        owner?.connected(connection)
        switch connection.status {
        case .unauthorized: sender.stop()
        case .live: sender.hurry()
        case .ended(let reason): ended(reason)
        default: break
        }
    }

    /// Whether the app was compiled with the kind that the session has, as far as is known.
    var isOwnVersion: Bool {
        guard let version = ledger.confirmed.version, let own = ownVersion else { return true }
        return version == own
    }

    private func ended(_ reason: String) {
        watch = nil
        sender.stop()
        access.stop()
        saveAlarm.set(.infinity)
        loadAlarm.set(.infinity)
        if reason == "session-ended" || reason == "not-found", let storage {
            Task { try? await storage.run { try await $0.clear() } }
        }
        settle(lost: Set(ledger.entries.map(\.key)), ConnectionEnded(reason: reason))
    }
}

// ---- Results

extension ClientCore: OutboxSenderOwner {
    func decide(_ results: [EntryResult], history: String?, mark: String?) {
        ledger.decide(results, history: history, mark: mark)
        settle()
    }

    func forgotten(unknown: Int) async {
        let client = environment.makeID()
        let dropped = ledger.queue.filter { entry in
            guard let number = entry.number, number <= unknown else { return false }
            // A value that contains the entry proves that it was decided.
            return ledger.contains(entry) || options.unknown == .drop
        }
        await advance(OutboxProgress(client: client, sent: 0, done: dropped.compactMap(\.number)))
        guard end == nil else { return }
        ledger.rename(client)
        if !dropped.isEmpty {
            owner?.report(.unknown(dropped.map { UnknownEntry(actions: $0.actions, key: $0.key) }))
            settle(lost: Set(dropped.map(\.key)), OutcomeUnknown())
        }
        stream.step(.again)
    }

    func missing(status: Int) {
        if options.create == nil { stream.step(.end(reason: status == 404 ? "not-found" : "session-ended")) }
    }

    func unauthorized() { stream.step(.unauthorized) }
}

// ---- Facts for actions

extension ClientCore {
    /// The user, as far as the token tells.
    var guessedActor: Actor { access.user.map { .user(ActorID($0)) } ?? .anonymous }

    /// Milliseconds since 1970.
    var wallTime: Int { Int(environment.clock.wallTime) }

    /// A revision of the present history, as `ifMatch` takes it.
    func etag(_ revision: Int) -> String {
        ledger.confirmed.history.map { "\(revision).\($0)" } ?? "\(revision)"
    }
}
