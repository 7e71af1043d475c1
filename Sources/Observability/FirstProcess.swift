import CFirstProcess
import Platform

/// The duties of the first process of a container.
///
/// The kernel drops a signal for which the first process has no handler: without one, neither Ctrl-C nor a stop would end a
/// command. And processes whose parent has ended become its children: those that a killed shell leaves behind, for example
/// of a health check, stay in the table of processes until it waits for them.
package enum FirstProcess {
    /// How often dead children are looked for, in milliseconds.
    private static let interval: Int32 = 300
    /// How often a dead child of the same session is seen before it is taken for one that nobody waits for: a minute.
    private static let maxSightings = 200

    /// Takes the duties over, if this process has them. Call it before anything else: a signal that comes before is lost.
    package static func begin() {
        guard getpid() == 1 else { return }
        first_process_end_at_signals()
        _ = startThread { reapOrphans() }
    }

    private static func reapOrphans() {
        var sightings: [pid_t: Int] = [:]
        while true {
            _ = poll(nil, 0, interval)
            let dead = hasDeadChild ? deadChildren() : []
            sightings = Dictionary(uniqueKeysWithValues: dead.map { ($0, (sightings[$0] ?? 0) + 1) })
            for (pid, count) in sightings where count > maxSightings(of: pid) { _ = waitpid(pid, nil, WNOHANG) }
        }
    }

    /// How often a dead child is left to whoever may wait for it. One that the program itself has started is most likely of its
    /// session; what comes from outside is not.
    private static func maxSightings(of child: pid_t) -> Int {
        let session = getsid(0)
        return session > 0 && getsid(child) == session ? maxSightings : 1
    }

    /// Whether a child has ended for which nobody has waited. It stays that way.
    private static var hasDeadChild: Bool {
        var found = siginfo_t()
        return waitid(P_ALL, 0, &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_signo != 0
    }

    /// The children that have ended and that nobody has waited for.
    private static func deadChildren() -> [pid_t] {
        (Folder.names(in: "/proc") ?? []).compactMap { name in
            guard let pid = pid_t(name), let status = kernelText(of: "/proc/\(name)/stat") else { return nil }
            // Behind the name, which is in brackets, come the state and the parent.
            let words = status[(status.lastIndex(of: ")") ?? status.startIndex)...].split(separator: " ").dropFirst()
            return words.first == "Z" && words.dropFirst().first == "1" ? pid : nil
        }
    }
}
