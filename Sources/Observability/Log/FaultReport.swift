import CPlatform
import Platform

/// One line in the log about the action whose code ends the process.
///
/// A Swift trap in a reducer, such as an index out of range, ends the process, because its memory is not in order any more.
/// The line names the store kind, the type of the action and the session. It is written by a signal handler, so it goes
/// straight to standard error.
package enum FaultReport {
    /// From here on a fault writes its line. The process ends as it would without it.
    package static func install(_ format: LogFormat) { fault_note_install(STDERR_FILENO, format == .json) }
}
