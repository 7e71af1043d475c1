package import StoreHosting

/// One or more commands on their way to Redis.
package protocol RedisRequest: AnyObject, Sendable {
    var kind: RedisRequestKind { get }
    /// About how many bytes it takes.
    var byteCount: Int { get }
    /// When it fails, if it was not answered until then; nil for never.
    var deadline: ContinuousClock.Instant? { get }

    /// Makes the commands when they are sent for the first time; nil if they are of no use any more.
    func encode() -> RedisBatch?

    /// Takes the result, once.
    func done(_ result: Result<RedisReply, JournalError>)
}

package enum RedisRequestKind: Sendable {
    case read
    /// It stores something, so replicas have to have it too.
    case write
    /// It changes which node may write. Replicas have to have it, but it does no harm if it was executed without an
    /// answer.
    case claim
    /// It registers or renews the lease of the node. It belongs to the connection, and is dropped with it.
    case lease
    /// The connection's own: it is completed as soon as it is answered, and dropped with the connection.
    case heartbeat

    var isOfConnection: Bool { self == .lease || self == .heartbeat }
}

/// A command that is made and completed by closures.
package final class RedisCall: RedisRequest {
    package let kind: RedisRequestKind
    package let byteCount: Int
    package let deadline: ContinuousClock.Instant?
    private let makeCommands: @Sendable () -> RedisBatch?
    private let complete: @Sendable (Result<RedisReply, JournalError>) -> Void

    package init(
        _ kind: RedisRequestKind, byteCount: Int = 64, deadline: ContinuousClock.Instant?,
        encode: @escaping @Sendable () -> RedisBatch?,
        done: @escaping @Sendable (Result<RedisReply, JournalError>) -> Void
    ) {
        self.kind = kind
        self.byteCount = byteCount
        self.deadline = deadline
        makeCommands = encode
        complete = done
    }

    package func encode() -> RedisBatch? { makeCommands() }

    package func done(_ result: Result<RedisReply, JournalError>) { complete(result) }
}
