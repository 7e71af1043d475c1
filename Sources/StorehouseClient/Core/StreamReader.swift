import JSON
import Platform

/// A core that takes the events of a session, and follows its connection.
@MainActor
protocol StreamReaderOwner: AnyObject {
    /// A stream is opened with what is confirmed then.
    var ledger: Ledger { get }
    /// Takes the events of a read.
    func deliver(_ events: [StreamEvent]) throws
    /// The events did not apply.
    func misfit(_ error: any Error)
    func connected(_ connection: RemoteConnection)
}

/// Opens and reads the streams that the connection decides on.
@MainActor
final class StreamReader {
    private let environment: ClientEnvironment
    private let address: SessionAddress
    private let options: ClientOptions
    private let access: Access
    private weak var owner: (any StreamReaderOwner)?
    private var machine: ConnectionMachine
    private var alarm: Alarm?
    /// The stream that is open or being opened.
    private var current = CurrentStream()
    private var wasCreated = false
    private(set) var connection = RemoteConnection(status: .connecting)

    private struct CurrentStream {
        var number = 0
        var open: (any OpenStream)?
        var opening: Task<Void, Never>?
        var parser = EventStreamParser()
        /// Events that wait for what tells whose actions they contain.
        var held: [StreamEvent] = []
        var isReady = false
        var token: String?
        /// Whether the answer is no stream of events.
        var isRefused = false

        var retry: Double {
            Backoff.asked(seconds: parser.retry.map { Double($0.wholeMilliseconds) / 1000 })
        }

        func close() {
            open?.close()
            opening?.cancel()
        }
    }

    init(
        _ environment: ClientEnvironment, _ address: SessionAddress, _ options: ClientOptions, _ access: Access,
        owner: any StreamReaderOwner
    ) {
        self.environment = environment
        self.address = address
        self.options = options
        self.access = access
        self.owner = owner
        machine = ConnectionMachine { MainActor.assumeIsolated { environment.random() } }
        alarm = Alarm(environment.clock) { [weak self] in self?.step(.tick) }
    }

    func step(_ event: ConnectionMachine.Event) {
        machine.step(event, at: environment.clock.now)
        if machine.stream != current.number {
            current.close()
            current = CurrentStream()
            current.number = machine.stream
            if current.number > 0 { open() }
        }
        alarm?.set(machine.wake)
        tell()
    }

    private func tell() {
        guard machine.status != connection.status else { return }
        connection = RemoteConnection(status: machine.status, since: since)
        owner?.connected(connection)
    }

    private var since: Int? {
        switch machine.status {
        case .reconnecting, .offline, .unauthorized:
            Int(environment.clock.wallTime - environment.clock.now + machine.since)
        default: nil
        }
    }

    // ---- Opening

    private func open() {
        let number = current.number
        if access.isKnown { return open(number, access.token) }
        current.opening = Task { [weak self, access] in
            do {
                let token = try await access.get()
                self?.open(number, token)
            } catch {
                self?.lose(number)
            }
        }
    }

    private func open(_ number: Int, _ token: String?) {
        guard number == current.number, let owner else { return }
        let (ledger, flag) = (owner.ledger, options.hearsEffects ? "true" : nil)
        let url = address.url(
            of: "events",
            [
                ("select", options.select), ("changes", "patch"), ("sync", ledger.client), ("effects", flag),
            ])
        var headers = ["accept": "text/event-stream", "prefer": "status", "cache-control": "no-store"]
        if let id = ledger.confirmed.eventID { headers["last-event-id"] = id }
        current.token = token
        let request = ClientRequest("GET", url, headers: headers, token: token)
        current.open = environment.transport.open(request) { [weak self] part in
            guard let self, number == current.number else { return }
            hear(part)
        }
    }

    private func lose(_ number: Int) {
        if number == current.number { step(.lost(retry: current.retry, atLeast: 0)) }
    }

    // ---- Reading

    private func hear(_ part: StreamPart) {
        switch part {
        case .head(let status, let headers): begin(status, headers)
        case .bytes(let bytes):
            // The body of a refusal says nothing more.
            guard !current.isRefused else { return }
            let number = current.number
            step(.bytes)
            if number == current.number { take(bytes) }
        case .end: if !current.isRefused { lose(current.number) }
        }
    }

    private func begin(_ status: Int, _ headers: [String: String]) {
        let type = headers["content-type"] ?? ""
        if status == 200, type.hasPrefix("text/event-stream") { return access.proved() }
        if status != 401 { access.proved() }
        current.isRefused = true
        guard status != 200 else { return lose(current.number) }
        refused(Refusal(status, headers))
    }

    private func take(_ bytes: [UInt8]) {
        do {
            let events = try current.parser.feed(bytes).map { event throws(JSONSyntaxError) in try StreamEvent(event) }
            guard current.parser.isValid else { throw Confirmed.Misfit.malformed("an event is too large") }
            try deliver(events)
        } catch {
            // The next stream begins without an id, and so with a state.
            owner?.misfit(error)
            step(.lost(retry: current.retry, atLeast: 0))
        }
    }

    private func deliver(_ events: [StreamEvent]) throws {
        guard let owner, !events.isEmpty else { return }
        let ready = events.last { $0.type == "ready" }?.data
        if let kind = options.kind ?? options.create, let own = ready?["store"]?.asString, own != kind {
            return step(.end(reason: StreamEnd.refused))
        }
        if ready != nil { current.isReady = true }
        let wasHeld = !current.held.isEmpty
        current.held += events
        // An event that names nobody may contain an own entry, which `ready` tells right behind it.
        let isNameless = events.last?.data["through"]?.isNull == true
        let isVague = ready == nil && !wasHeld && isNameless && owner.ledger.mayContainOwn
        let number = current.number
        if current.isReady, !isVague {
            let held = current.held
            current.held = []
            try owner.deliver(held)
        }
        guard number == current.number else { return }
        if let ready { step(.ready(heartbeat: ready["heartbeat"]?.asNumber.map { $0 * 1000 })) }
        for event in events where event.type == "closed" && number == current.number {
            close(event.data["reason"]?.asString ?? "")
        }
    }

    private func close(_ reason: String) {
        if reason == "expired" { access.renewal(.expired) }
        step(.closed(reason: reason, retry: current.retry))
    }

    // ---- Refusals

    private func refused(_ refusal: Refusal) {
        let (number, token) = (current.number, current.token)
        if refusal.status == 401, refusal.isProblem {
            current.opening = Task { [weak self, access] in
                let isWorthIt = try? await access.refused(token)
                guard let self, number == current.number else { return }
                step(isWorthIt.map { $0 ? .again : .unauthorized } ?? .lost(retry: 0, atLeast: 0))
            }
        } else if let kind = options.create, refusal.reason != nil, mayCreate(refusal.status, token) {
            wasCreated = true
            current.opening = Task { [weak self] in
                let event = await self?.create(kind, token)
                guard let self, let event, number == current.number else { return }
                step(event)
            }
        } else {
            step(refusal.reason.map { .end(reason: $0) } ?? .lost(retry: 0, atLeast: refusal.atLeast))
        }
    }

    /// With a token, a session that is not there yet is one that the user may not read.
    private func mayCreate(_ status: Int, _ token: String?) -> Bool {
        status == 404 || (status == 403 && token != nil && !wasCreated)
    }

    private func create(_ kind: String, _ token: String?) async -> ConnectionMachine.Event {
        let body = JSONValue.object(["store": .string(kind)]).encoded()
        let request = ClientRequest("PUT", address.text, json: body, token: token)
        guard let answer = try? await environment.transport.send(request) else { return .lost(retry: 0, atLeast: 0) }
        if (200..<300).contains(answer.status) { return .again }
        let refusal = Refusal(answer.status, answer.headers)
        return refusal.reason == nil ? .lost(retry: 0, atLeast: refusal.atLeast) : .end(reason: StreamEnd.refused)
    }
}

/// An answer that is not what was asked for.
private struct Refusal {
    let status: Int
    /// A proxy or a captive portal answers with a status too, but knows nothing of the session.
    let isProblem: Bool
    /// Nil if another attempt may succeed.
    let reason: String?
    /// Milliseconds until the next attempt.
    let atLeast: Double

    init(_ status: Int, _ headers: [String: String]) {
        self.status = status
        isProblem = headers["content-type"]?.contains("problem+json") == true
        reason = status == 204 || isProblem ? StreamEnd.reason(ofStatus: status) : nil
        atLeast = Backoff.asked(by: headers)
    }
}

extension Ledger {
    /// Whether an event may contain an entry of this client without saying so.
    fileprivate var mayContainOwn: Bool { queue.contains { !contains($0) } }
}
