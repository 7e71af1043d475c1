/// The meaning of an error reply for its command. All errors of Redis are judged here, also those that a script passes on.
package enum RedisVerdict: Equatable {
    /// The server executes no such command now, and has not begun with this one.
    case refused
    /// The server has ended it before its end, and would end others too. A script may have changed something by then.
    case interrupted
    /// The server did not execute it, and may do so on another connection a little later.
    case retry
    /// This command cannot be executed: what it works on is damaged.
    case failed

    /// - Parameter error: a text that begins with a code.
    package init(error: String) {
        switch Self.code(of: error) {
        case "NOSCRIPT", "LOADING", "BUSY", "READONLY", "MASTERDOWN", "UNBLOCKED", "MOVED", "REDIRECT": self = .retry
        case "OOM", "MISCONF", "NOREPLICAS", "NOPERM", "NOAUTH", "WRONGPASS", "DENIED", "CLUSTERDOWN", "ASK",
            "TRYAGAIN", "CROSSSLOT":
            self = .refused
        case "WRONGTYPE": self = .failed
        // Redis kills no script that has changed something. A script that changes a session does that with its last command,
        // or with several of one kind, so it has changed nothing if the user may not execute one of them.
        case "ERR" where error.contains("Script killed by user") || Self.isOfPermissions(error): self = .refused
        case "ERR" where Self.isOfData(error): self = .failed
        // Nothing tells that the data are the reason, and many sessions may be concerned.
        default: self = .interrupted
        }
    }

    private static func code(of error: String) -> Substring { error.prefix { $0 != " " } }

    /// Whether a script has found values that it does not expect.
    private static func isOfData(_ error: String) -> Bool {
        let isOfScript = error.hasPrefix("ERR user_script:") || error.hasPrefix("ERR Error running script")
        return isOfScript
            || ["not an integer", "not a valid float", "would overflow"].contains { error.contains($0) }
    }

    /// Whether the user lacks a permission, or the server does not have a command.
    package static func isOfPermissions(_ error: String) -> Bool {
        switch code(of: error) {
        case "NOPERM": true
        case "ERR":
            [
                "ACL failure in script", "The user executing the script can't", "nknown command",
                "nknown Redis command", "not allowed from script",
            ].contains { error.contains($0) }
        default: false
        }
    }

    /// The text of the error for the log, with advice to the operator.
    package static func explanation(of error: String) -> String {
        if RedisRedirect(error: error) == .moving { return RedisRedirect.movingDetail }
        // The place in the script tells nobody anything.
        let place = error.contains(", on @user_script") ? error.ranges(of: " script: ").last : nil
        let text = place.map { String(error[..<$0.lowerBound]) } ?? error
        guard isOfPermissions(error) else { return text }
        return text
            + "; the user of storage.redis.url needs permission for all commands and keys of Storehouse: give it "
            + "with ACL SETUSER"
    }
}
