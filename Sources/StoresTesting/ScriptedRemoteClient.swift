import Locks
public import RemoteServices
import Stores

#if canImport(Testing)
    import Testing
#endif

/// A client of a remote service whose responses the test provides.
///
/// A call waits until the test gives a response. A response that is given before is used for the next call. Nothing depends on
/// the clock.
public final class ScriptedRemoteClient: RemoteClient {
    /// The result of a call.
    public typealias Reply = Result<RemoteResponse, RemoteFailure>

    private struct Contents {
        var requests: [RemoteRequest] = []
        var replies: [Reply] = []
        var waitingCalls: [(id: Int, resume: @Sendable (Reply) -> Void)] = []
        var cancelled: Set<Int> = []
        /// The test, and what it waits for.
        var waiting: [(id: Int, isMet: @Sendable (Contents) -> Bool, resume: @Sendable (Bool) -> Void)] = []
        var lastWait = 0

        mutating func takeMet() -> [@Sendable () -> Void] {
            var met: [@Sendable () -> Void] = []
            for (_, isMet, resume) in waiting where isMet(self) { met.append { resume(true) } }
            waiting.removeAll { [self] in $0.isMet(self) }
            return met
        }
    }

    private let always: Reply?
    // Guards the script and its waiters. Nothing is resumed while it is held.
    private let contents = Locked(Contents())

    /// A client whose calls wait for the test, or all get the same response.
    ///
    /// - Parameter always: the response to every call; nil makes each call wait for ``reply(_:)``.
    public init(always: Reply? = nil) { self.always = always }

    /// All requests, in order.
    public var requests: [RemoteRequest] { contents.withLock { $0.requests } }

    /// The number of cancelled calls.
    public var cancellations: Int { contents.withLock { $0.cancelled.count } }

    /// Ends the oldest waiting call, or the next call if none waits.
    public func reply(_ reply: Reply) {
        let resume: (@Sendable (Reply) -> Void)? = contents.withLock { contents in
            guard contents.waitingCalls.isEmpty else { return contents.waitingCalls.removeFirst().resume }
            contents.replies.append(reply)
            return nil
        }
        resume?(reply)
    }

    /// Ends a call with a status and a JSON body.
    public func reply(status: Int = 200, _ json: String) {
        reply(.success(RemoteResponse(status: status, contentType: "application/json", body: Array(json.utf8))))
    }

    /// Waits until there have been `count` calls. If they do not come, the test fails and continues.
    ///
    /// - Parameters:
    ///   - count: how many there have to be.
    ///   - limit: how long it waits.
    public func called(times count: Int, within limit: Duration = .seconds(60)) async {
        guard await !wait(limit, until: { $0.requests.count >= count }) else { return }
        Self.fail("expected \(count) calls within \(limit), actual \(requests.count)")
    }

    /// Waits until `count` calls have been cancelled. If they are not, the test fails and continues.
    ///
    /// - Parameters:
    ///   - count: how many there have to be.
    ///   - limit: how long it waits.
    package func cancelled(times count: Int, within limit: Duration = .seconds(60)) async {
        guard await !wait(limit, until: { $0.cancelled.count >= count }) else { return }
        Self.fail("expected \(count) cancelled calls within \(limit), actual \(cancellations)")
    }

    private static func fail(_ text: String) {
        #if canImport(Testing)
            Issue.record(Comment(rawValue: text))
        #else
            // Without Swift Testing there is no test to fail, and a failure must not pass silently.
            fatalError(text)
        #endif
    }

    public func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteResponse {
        let id: Int = change { contents in
            contents.requests.append(request)
            return contents.requests.count
        }
        if let always { return try always.get() }
        let reply = await withTaskCancellationHandler {
            await Promise.value { suspend(id, $0) }
        } onCancel: {
            cancel(id)
        }
        return try reply.get()
    }
}

extension ScriptedRemoteClient {
    private func suspend(_ id: Int, _ resume: @escaping @Sendable (Reply) -> Void) {
        let reply: Reply? = contents.withLock { contents in
            if contents.cancelled.contains(id) { return .cancelled }
            guard contents.replies.isEmpty else { return contents.replies.removeFirst() }
            contents.waitingCalls.append((id, resume))
            return nil
        }
        if let reply { resume(reply) }
    }

    /// Cancels a call, even if it does not wait yet.
    private func cancel(_ id: Int) {
        let resume: (@Sendable (Reply) -> Void)? = change { contents in
            contents.cancelled.insert(id)
            guard let index = contents.waitingCalls.firstIndex(where: { $0.id == id }) else { return nil }
            return contents.waitingCalls.remove(at: index).resume
        }
        resume?(.cancelled)
    }

    private func change<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result {
        let (result, met): (Result, [@Sendable () -> Void]) = contents.withLock { contents in
            let result = body(&contents)
            return (result, contents.takeMet())
        }
        for resume in met { resume() }
        return result
    }

    /// - Returns: false if the condition was not met within `limit`.
    private func wait(_ limit: Duration, until isMet: @escaping @Sendable (Contents) -> Bool) async -> Bool {
        var timeout: Task<Void, Never>?
        defer { timeout?.cancel() }
        return await Promise.value { resume in
            let id: Int? = contents.withLock { contents in
                if isMet(contents) { return nil }
                contents.lastWait += 1
                contents.waiting.append((contents.lastWait, isMet, resume))
                return contents.lastWait
            }
            guard let id else { return resume(true) }
            timeout = Task { [weak self] in
                do { try await Task.sleep(for: limit) } catch { return }
                self?.giveUp(id)
            }
        }
    }

    private func giveUp(_ id: Int) {
        let resume: (@Sendable (Bool) -> Void)? = contents.withLock { contents in
            guard let index = contents.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return contents.waiting.remove(at: index).resume
        }
        resume?(false)
    }
}

extension Result<RemoteResponse, RemoteFailure> {
    fileprivate static var cancelled: Self { .failure(RemoteFailure(.interrupted, "the call was cancelled")) }
}
