/// How a request is handled.
package enum Handling<Result: Sendable>: Sendable {
    /// It is done. This costs no task and no closure, and is usual.
    case now(Result)
    /// The rest has to wait for something. It is called once.
    case later(@Sendable () async throws(SessionFailure) -> Result)

    package func value() async throws(SessionFailure) -> Result {
        switch self {
        case .now(let result): result
        case .later(let run): try await run()
        }
    }
}
