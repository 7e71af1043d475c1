import JSON

/// The core of a client, as its outbox sees it.
@MainActor
protocol OutboxSenderOwner: AnyObject {
    var ledger: Ledger { get set }
    /// Writes down what a later start must know, before something is sent.
    func flush() async
    /// Writes it later, because no request waits for it.
    func flushSoon()
    func decide(_ results: [EntryResult], history: String?, mark: String?)
    /// The record is gone, and entries up to this number may have been run.
    func forgotten(unknown: Int) async
    /// The server answers that there is no session.
    func missing(status: Int)
    func unauthorized()
}

/// Sends the entries of an outbox: one request at a time, each number until its outcome is known, in order.
@MainActor
final class OutboxSender {
    private static let timeout = 30_000.0

    private let environment: ClientEnvironment
    private let address: SessionAddress
    private let access: Access
    private weak var owner: (any OutboxSenderOwner)?
    private var machine: OutboxMachine
    private var isActive = false
    private var isPumpDue = false
    /// The request in flight.
    private var current: Task<Void, Never>?
    private var alarm: Alarm?
    private var deadline: Alarm?

    init(
        _ environment: ClientEnvironment, _ address: SessionAddress, _ access: Access, owner: any OutboxSenderOwner
    ) {
        self.environment = environment
        self.address = address
        self.access = access
        self.owner = owner
        machine = OutboxMachine { MainActor.assumeIsolated { environment.random() } }
        alarm = Alarm(environment.clock) { [weak self] in self?.pump() }
        deadline = Alarm(environment.clock) { [weak self] in self?.giveUp() }
    }

    func start() {
        isActive = true
        pump()
    }

    func stop() {
        isActive = false
        current?.cancel()
        current = nil
        alarm?.set(.infinity)
        deadline?.set(.infinity)
    }

    func hurry() {
        machine.hurry(at: environment.clock.now)
        pump()
    }

    /// Sends after this turn, so that all that the turn adds goes in one request.
    func pumpSoon() {
        guard !isPumpDue, isActive, current == nil else { return }
        isPumpDue = true
        Task { [weak self] in
            self?.isPumpDue = false
            self?.pump()
        }
    }

    func pump() {
        guard isActive, current == nil, let owner else { return }
        let now = environment.clock.now
        if now < machine.wake {
            alarm?.set(machine.wake)
        } else {
            alarm?.set(.infinity)
            if let request = machine.next(&owner.ledger, at: now) { return send(request) }
        }
        owner.flushSoon()
    }

    // ---- One request

    private func send(_ request: OutboxMachine.Request) {
        deadline?.set(environment.clock.now + Self.timeout)
        current = Task { [weak self] in
            let (answer, token) = await self?.answer(to: request) ?? (.none, nil)
            // A cancelled request is not this one's any more.
            guard !Task.isCancelled, let self else { return }
            await take(answer, token, request)
        }
    }

    /// No answer came for long: the request counts as lost.
    private func giveUp() {
        guard let lost = current else { return }
        lost.cancel()
        current = nil
        machine.wait(environment.clock.now)
        pump()
    }

    private func answer(to request: OutboxMachine.Request) async -> (OutboxMachine.Answer, token: String?) {
        await owner?.flush()
        do {
            let token = try await access.get()
            guard !Task.isCancelled, let client = owner?.ledger.client else { return (.none, token) }
            let response = try await environment.transport.send(
                ClientRequest("POST", address.url(of: "sync"), json: request.body(client: client), token: token))
            if response.status != 401 { access.proved() }
            let body = try? JSONValue(parsing: response.body, maximumDepth: JSONValue.maxDepth)
            let pause = Backoff.asked(by: response.headers)
            return (.init(status: response.status, body: body, atLeast: pause), token)
        } catch {
            return (.none, nil)
        }
    }

    private func take(
        _ answer: OutboxMachine.Answer, _ token: String?, _ request: OutboxMachine.Request
    ) async {
        deadline?.rest()
        guard let owner else { return }
        let now = environment.clock.now
        switch machine.take(answer, to: request, &owner.ledger, at: now) {
        case .decided(let results, let history, let mark): owner.decide(results, history: history, mark: mark)
        case .proceed: break
        case .forgotten(let unknown): await owner.forgotten(unknown: unknown)
        case .missing(let status): owner.missing(status: status)
        case .unauthorized: await renew(token)
        }
        guard !Task.isCancelled else { return }
        current = nil
        pump()
    }

    /// - Parameter token: that the server refused.
    private func renew(_ token: String?) async {
        do {
            if try await access.refused(token) { return }
            guard !Task.isCancelled else { return }
            isActive = false
            owner?.unauthorized()
        } catch {
            machine.wait(environment.clock.now)
        }
    }
}
