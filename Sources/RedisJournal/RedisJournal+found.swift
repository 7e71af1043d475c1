import JSON
import StoreHosting

extension RedisJournal {
    /// The reply of the script `load`.
    enum Found: Sendable {
        /// The newest write when a session was read, as the storage counts them; nil if none was found.
        static func writeCount(_ reply: RedisReply) -> Int? {
            guard let fields = reply.array, fields.count >= 10, let head = fields[1].array else { return nil }
            return head.last?.integer
        }

        case unknown
        case ended(owner: Subject?)
        /// Another node owns it.
        case elsewhere(String)
        /// It does not belong to the subject for which it was to be read.
        case foreign(owner: Subject?, kind: String)
        /// - lineageID: that of the storage when the session was read.
        case session(RedisStoredSession, lineageID: Int)

        init(_ reply: RedisReply, _ id: String, _ sealer: any SecretSealer, lineageID: Int)
            throws(JournalError)
        {
            let fields = reply.array ?? []
            switch fields.first?.text {
            case "UNKNOWN": self = .unknown
            case "ENDED":
                let owner = fields.dropFirst().first?.text ?? ""
                self = .ended(owner: owner.isEmpty ? nil : Subject(owner))
            case "FOREIGN":
                let owner = fields.dropFirst().first?.text.flatMap { $0.isEmpty ? nil : Subject($0) }
                guard let kind = try? SessionHeader.kind(encoded: fields.dropFirst(2).first?.bytes ?? []) else {
                    throw .corrupt("a record has a wrong checksum", owner: owner)
                }
                self = .foreign(owner: owner, kind: kind)
            case "OWNED": self = .elsewhere(fields.dropFirst().first?.text ?? "")
            case "FORGOTTEN": throw .unavailable("the node's lease has ended")
            default:
                self = .session(
                    try RedisStoredSession(fields, id: id, sealer, lineageID: lineageID), lineageID: lineageID)
            }
        }
    }
}
