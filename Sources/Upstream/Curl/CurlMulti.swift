import CCurl
import Sockets

/// Runs transfers on libcurl's multi interface, driven by an event loop: no call blocks, and none has a thread.
///
/// Lives on the loop. The multi handle is made for the first transfer, and freed, with the connections it keeps open,
/// when there has been none for a while: libcurl itself does not look after idle connections.
final class CurlMulti {
    typealias Handle = UnsafeMutableRawPointer

    /// How long an unused connection is kept for another call, in seconds.
    static let connectionIdleSeconds = 10

    private let loop: any EventLoop
    private var library: CurlLibrary
    private var handle: Handle?
    private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    private var lookups = DNSLookupCoalescer()
    private var timer: LoopTimer?
    private var quietTimer: LoopTimer?
    private var isPushWanted = false
    private var isPushComing = false

    init(_ library: CurlLibrary, on loop: any EventLoop) {
        self.library = library
        self.loop = loop
    }

    /// Starts a transfer. Its completion is called later, never from within.
    func start(_ transfer: CurlTransfer) {
        stopQuietTimer()
        guard handle != nil || library.load() else { return refuse(transfer, .noLibrary) }
        guard let handle = openHandle(), let easy = transfer.open() else { return refuse(transfer) }
        transfer.multi = self
        transfers[easy] = transfer
        guard ccurl_multi_add_handle(handle, easy) == CURLM_OK else {
            transfers[easy] = nil
            return refuse(transfer)
        }
    }

    /// Ends a transfer without a word; its connection is closed at once.
    func cancel(_ transfer: CurlTransfer) {
        transfer.drop()
        if let easy = transfer.easy, transfers.removeValue(forKey: easy) != nil {
            ccurl_multi_remove_handle(handle, easy)
        }
        close(transfer)
        endLookup(transfer)
        startQuietTimer()
    }

    /// Frees everything. Transfers that still run are dropped without a word.
    func close() {
        for transfer in transfers.values {
            cancel(transfer)
        }
        stopQuietTimer()
        freeHandle()
    }

    private func refuse(_ transfer: CurlTransfer, _ failure: TransferFailure = .notStarted) {
        close(transfer)
        loop.atEndOfTurn { self.tell(transfer, .failed(failure)) }
        startQuietTimer()
    }

    private func act(on socket: curl_socket_t, _ events: Int32) {
        var running: Int32 = 0
        ccurl_multi_socket_action(handle, socket, events, &running)
        var left: Int32 = 0
        while let message = ccurl_multi_info_read(handle, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            finish(easy, message.pointee.data.result)
        }
        startQuietTimer()
    }

    private func finish(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
        guard let transfer = transfers.removeValue(forKey: easy) else { return }
        let outcome = transfer.outcome(code)
        ccurl_multi_remove_handle(handle, easy)
        close(transfer)
        if transfer.awaitsName { return wait(transfer) }
        endLookup(transfer, failing: code == CURLE_COULDNT_RESOLVE_HOST ? outcome : nil)
        tell(transfer, outcome)
    }

    private func close(_ transfer: CurlTransfer) {
        if let alarm = transfer.speedAlarm { loop.cancel(alarm) }
        transfer.speedAlarm = nil
        transfer.close()
    }

    private func tell(_ transfer: CurlTransfer, _ outcome: TransferOutcome) {
        if !transfer.isDropped { transfer.completion(outcome) }
    }
}

// Answers that have begun must go on. (libcurl's own limit counts the time before the first byte too.)
extension CurlMulti {
    func watchSpeed(of transfer: CurlTransfer) {
        let settings = transfer.request.settings
        guard settings.lowSpeedBytes > 0, transfer.speedAlarm == nil else { return }
        transfer.speedAlarm = loop.schedule(after: settings.lowSpeedTime) {
            transfer.speedAlarm = nil
            let least = Double(settings.lowSpeedBytes) * (settings.lowSpeedTime / .seconds(1))
            if Double(transfer.takeNewBytes()) < least {
                self.stop(transfer, .tooSlow)
            } else {
                self.watchSpeed(of: transfer)
            }
        }
    }

    private func stop(_ transfer: CurlTransfer, _ failure: TransferFailure) {
        guard let easy = transfer.easy, transfers.removeValue(forKey: easy) != nil else { return }
        ccurl_multi_remove_handle(handle, easy)
        close(transfer)
        tell(transfer, .failed(failure))
        startQuietTimer()
    }
}

// Looking up names, one transfer for all. Called from within libcurl, so what follows is put off.
extension CurlMulti {
    func mayLookUp(_ transfer: CurlTransfer) -> Bool {
        lookups.begin(transfer)
    }

    private func wait(_ transfer: CurlTransfer) {
        if !lookups.wait(transfer) { startAgain(transfer) }
    }

    /// - Parameter outcome: what becomes of all who waited, if the look-up has failed.
    func endLookup(_ transfer: CurlTransfer, failing outcome: TransferOutcome? = nil) {
        for waiting in lookups.end(transfer) {
            if let outcome {
                loop.atEndOfTurn { self.tell(waiting, outcome) }
            } else {
                startAgain(waiting)
            }
        }
    }

    private func startAgain(_ transfer: CurlTransfer) {
        loop.atEndOfTurn {
            if !transfer.isDropped { self.start(transfer) }
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

    private func startQuietTimer() {
        guard transfers.isEmpty, handle != nil, quietTimer == nil else { return }
        quietTimer = loop.schedule(after: .seconds(Self.connectionIdleSeconds)) {
            self.quietTimer = nil
            self.freeHandle()
        }
    }

    private func stopQuietTimer() {
        if let quietTimer { loop.cancel(quietTimer) }
        quietTimer = nil
    }
}

// What libcurl wants from the loop.
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
        isPushWanted = milliseconds == 0
        if isPushWanted {
            push()
        } else if milliseconds > 0 {
            timer = loop.schedule(after: .milliseconds(milliseconds)) {
                self.timer = nil
                self.act(on: CURL_SOCKET_TIMEOUT, 0)
            }
        }
    }

    /// Calls libcurl at the end of the turn: sooner than any timer, and once for all transfers that begin in the turn.
    private func push() {
        guard !isPushComing else { return }
        isPushComing = true
        loop.atEndOfTurn {
            self.isPushComing = false
            guard self.isPushWanted else { return }
            self.isPushWanted = false
            self.act(on: CURL_SOCKET_TIMEOUT, 0)
        }
    }

    func ready(_ descriptor: Int32, _ readiness: Readiness) {
        var events: Int32 = 0
        if readiness.contains(.readable) { events |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
        // Told of an error, libcurl would not look what it is; told to read or write, it finds out.
        if events == 0 { events = CURL_CSELECT_IN | CURL_CSELECT_OUT }
        act(on: descriptor, events)
    }

    /// The owner of the loop closes the transfers first, so that nothing is watched by then.
    func loopStopped(_ descriptor: Int32) {}
}
