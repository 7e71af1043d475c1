import CCurl
import Platform
import Sockets

/// Runs transfers on libcurl's multi interface, driven by an event loop, without blocking a thread.
///
/// It lives on the loop. The multi handle is made for the first transfer and freed with its open connections after a while
/// without transfers, because libcurl does not close idle connections by itself.
final class CurlMulti {
    typealias Handle = UnsafeMutableRawPointer

    /// The number of transfers that share a handle.
    ///
    /// libcurl walks through all connections of a handle when it looks for one to use again and when a transfer ends. With
    /// 5000 connections it spends half of its time there.
    static let capacity = 256

    /// How long an idle connection is kept for another call, in seconds.
    static let connectionIdleSeconds = 10

    private let loop: any EventLoop
    private let maxAge: Duration
    private let loadLibrary: () -> TransferFailure?
    private var handle: Handle?
    /// When the handle begins no more transfers.
    private var expiresAt = MonotonicInstant(nanoseconds: 0)
    private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    /// The number of transfers that have started and not ended, also of those that wait for a lookup.
    private var load = 0
    private var lookups = DNSLookupCoalescer()
    private var timer: LoopTimer?
    private var idleTimer: LoopTimer?
    private var needsKick = false
    private var isKickScheduled = false

    /// - Parameters:
    ///   - maxAge: how long the handle takes transfers. Its connections, and the addresses that it has looked up, are as old at most.
    ///   - loadLibrary: loads libcurl; returns the reason if that fails.
    init(on loop: any EventLoop, maxAge: Duration, loadLibrary: @escaping () -> TransferFailure?) {
        self.loop = loop
        self.maxAge = maxAge
        self.loadLibrary = loadLibrary
    }

    /// Whether it takes one more transfer. A handle that is too old takes none, and is freed once it has none.
    func makesRoom() -> Bool {
        guard handle != nil, loop.now >= expiresAt else { return load < Self.capacity }
        guard load == 0 else { return false }
        freeHandle()
        return true
    }

    /// Takes no more transfers on the open connections.
    func expire() { expiresAt = loop.now }

    /// Starts a transfer. Its completion is called in a later turn of the loop.
    func start(_ transfer: CurlTransfer) {
        enter(transfer)
        stopIdleTimer()
        if handle == nil, let failure = loadLibrary() { return refuse(transfer, failure) }
        guard let handle = openHandle(), let easy = transfer.open() else { return refuse(transfer) }
        transfers[easy] = transfer
        guard ccurl_multi_add_handle(handle, easy) == CURLM_OK else {
            transfers[easy] = nil
            return refuse(transfer)
        }
    }

    /// Ends a transfer without calling its completion, and closes its connection at once.
    func cancel(_ transfer: CurlTransfer) {
        transfer.discard()
        if let easy = transfer.easy, transfers.removeValue(forKey: easy) != nil {
            ccurl_multi_remove_handle(handle, easy)
        }
        close(transfer)
        endLookup(transfer)
        leave(transfer)
        startIdleTimer()
    }

    /// Frees everything. Completions of transfers under way are not called.
    func close() {
        for transfer in transfers.values {
            cancel(transfer)
        }
        stopIdleTimer()
        freeHandle()
    }

    private func refuse(_ transfer: CurlTransfer, _ failure: TransferFailure = .notStarted) {
        close(transfer)
        loop.atEndOfTurn { self.complete(transfer, .failed(failure)) }
        startIdleTimer()
    }

    private func act(on socket: curl_socket_t, _ events: Int32) {
        var running: Int32 = 0
        ccurl_multi_socket_action(handle, socket, events, &running)
        var left: Int32 = 0
        while let message = ccurl_multi_info_read(handle, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            finish(easy, message.pointee.data.result)
        }
        startIdleTimer()
    }

    private func finish(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
        guard let transfer = transfers.removeValue(forKey: easy) else { return }
        let outcome = transfer.outcome(code)
        ccurl_multi_remove_handle(handle, easy)
        close(transfer)
        if transfer.waitsForLookup { return wait(transfer) }
        endLookup(transfer, failing: code == CURLE_COULDNT_RESOLVE_HOST ? outcome : nil)
        complete(transfer, outcome)
    }

    private func close(_ transfer: CurlTransfer) {
        if let deadlineTimer = transfer.speedTimer { loop.cancel(deadlineTimer) }
        transfer.speedTimer = nil
        transfer.close()
    }

    private func enter(_ transfer: CurlTransfer) {
        if transfer.multi == nil { load += 1 }
        transfer.multi = self
    }

    private func leave(_ transfer: CurlTransfer) {
        if transfer.multi != nil { load -= 1 }
        transfer.multi = nil
    }

    private func complete(_ transfer: CurlTransfer, _ outcome: TransferOutcome) {
        leave(transfer)
        if !transfer.isDiscarded { transfer.completion(outcome) }
    }
}

// The lowest speed of a response. (libcurl's own limit also counts the time before the first byte.)
extension CurlMulti {
    func watchSpeed(of transfer: CurlTransfer) {
        let settings = transfer.request.settings
        guard settings.lowSpeedBytes > 0, transfer.speedTimer == nil else { return }
        transfer.speedTimer = loop.schedule(after: settings.lowSpeedTime) {
            transfer.speedTimer = nil
            let least = Double(settings.lowSpeedBytes) * (settings.lowSpeedTime / .seconds(1))
            if Double(transfer.takeByteCount()) < least {
                self.stop(transfer, .tooSlow)
            } else {
                self.watchSpeed(of: transfer)
            }
        }
    }

    /// Ends a transfer with a failure. libcurl's callbacks may call this, because libcurl has returned by the end of the turn.
    func stopAtEndOfTurn(_ transfer: CurlTransfer, _ failure: TransferFailure) {
        loop.atEndOfTurn { self.stop(transfer, failure) }
    }

    private func stop(_ transfer: CurlTransfer, _ failure: TransferFailure) {
        guard let easy = transfer.easy, transfers.removeValue(forKey: easy) != nil else { return }
        ccurl_multi_remove_handle(handle, easy)
        close(transfer)
        complete(transfer, .failed(failure))
        startIdleTimer()
    }
}

// Name resolution by one transfer for all. libcurl calls this, so it must not be called back before the turn's end.
extension CurlMulti {
    func mayResolve(_ transfer: CurlTransfer) -> Bool {
        lookups.begin(transfer)
    }

    private func wait(_ transfer: CurlTransfer) {
        if !lookups.wait(transfer) { startAgain(transfer) }
    }

    /// - Parameter outcome: the outcome of every waiting transfer if the lookup has failed.
    func endLookup(_ transfer: CurlTransfer, failing outcome: TransferOutcome? = nil) {
        for waiting in lookups.end(transfer) {
            if let outcome {
                loop.atEndOfTurn { self.complete(waiting, outcome) }
            } else {
                startAgain(waiting)
            }
        }
    }

    private func startAgain(_ transfer: CurlTransfer) {
        loop.atEndOfTurn {
            if !transfer.isDiscarded { self.start(transfer) }
        }
    }
}

// The multi handle.
extension CurlMulti {
    private func openHandle() -> Handle? {
        if let handle { return handle }
        guard let handle = ccurl_multi_init() else { return nil }
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_on_socket(handle) { easy, socket, what, context, known in
            CurlMulti.from(context)?.watch(socket, what, isKnown: known != nil, for: easy)
            return 0
        }
        ccurl_multi_set_pointer(handle, CURLMOPT_SOCKETDATA, context)
        ccurl_multi_set_on_timer(handle) { _, milliseconds, context in
            CurlMulti.from(context)?.setTimer(milliseconds)
            return 0
        }
        ccurl_multi_set_pointer(handle, CURLMOPT_TIMERDATA, context)
        self.handle = handle
        expiresAt = loop.now.advanced(by: maxAge)
        return handle
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlMulti? {
        context.map { Unmanaged<CurlMulti>.fromOpaque($0).takeUnretainedValue() }
    }

    private func freeHandle() {
        if let handle { ccurl_multi_cleanup(handle) }
        handle = nil
        setTimer(-1)
    }

    private func startIdleTimer() {
        guard transfers.isEmpty, handle != nil, idleTimer == nil else { return }
        idleTimer = loop.schedule(after: .seconds(Self.connectionIdleSeconds)) {
            self.idleTimer = nil
            self.freeHandle()
        }
    }

    private func stopIdleTimer() {
        if let idleTimer { loop.cancel(idleTimer) }
        idleTimer = nil
    }
}

// The requests of libcurl to the loop: to watch its sockets, and to set its timer.
extension CurlMulti: ReadinessHandler {
    private func watch(
        _ socket: curl_socket_t, _ what: Int32, isKnown: Bool, for easy: UnsafeMutableRawPointer?
    ) {
        guard what != CURL_POLL_REMOVE else { return loop.unwatch(socket) }
        var interest: Interest = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        if isKnown { return loop.update(socket, interest) }
        do {
            try loop.watch(socket, interest, self)
            ccurl_multi_assign(handle, socket, Unmanaged.passUnretained(self).toOpaque())
        } catch {
            // libcurl must not be called from its own callback.
            loop.atEndOfTurn {
                if let easy { self.finish(easy, CURLE_RECV_ERROR) }
            }
        }
    }

    /// - Parameter milliseconds: -1 for none.
    private func setTimer(_ milliseconds: Int) {
        if let timer { loop.cancel(timer) }
        timer = nil
        needsKick = milliseconds == 0
        if needsKick {
            kick()
        } else if milliseconds > 0 {
            timer = loop.schedule(after: .milliseconds(milliseconds)) {
                self.timer = nil
                self.act(on: CURL_SOCKET_TIMEOUT, 0)
            }
        }
    }

    /// Calls libcurl at the end of the turn: before any timer, and once for all transfers that start in the turn.
    private func kick() {
        guard !isKickScheduled else { return }
        isKickScheduled = true
        loop.atEndOfTurn {
            self.isKickScheduled = false
            guard self.needsKick else { return }
            self.needsKick = false
            self.act(on: CURL_SOCKET_TIMEOUT, 0)
        }
    }

    func ready(_ descriptor: Int32, _ readiness: Readiness) {
        var events: Int32 = 0
        if readiness.contains(.readable) { events |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
        // For an error event libcurl does not look for the cause. Reading or writing makes it find the cause.
        if events == 0 { events = CURL_CSELECT_IN | CURL_CSELECT_OUT }
        act(on: descriptor, events)
    }

    /// Has nothing to do: the owner of the loop closes the transfers first, so no descriptor is watched any more.
    func loopStopped(_ descriptor: Int32) {}
}
