import JSON
import Observability

/// An entry of the action log as words of a line.
struct ActionWords {
    private let entry: JSONValue
    private let ink: TerminalInk

    init(_ entry: JSONValue, _ ink: TerminalInk) {
        (self.entry, self.ink) = (entry, ink)
    }

    /// When it was committed, in milliseconds since 1970; nil if the server does not say.
    var time: Int? { entry["at"]?.asString.flatMap(Timestamp.milliseconds) }

    /// `#3 betslip/addSelection ada`
    var head: [String] { [ink.revision(entry["revision"]), ink.text(entry["type"]), sender] }

    /// Its payload, and what it has changed.
    ///
    /// - Parameter changes: nil if only the payload is shown.
    func line(_ changes: [String]?) -> [String] {
        head + [changes.map { $0.isEmpty ? "" : " " + ChangeTexts.line($0) } ?? payload].filter { !$0.isEmpty }
    }

    /// An action that was refused, and why.
    var refusal: [String] {
        let reason = entry["reason"].map { ": " + ink.text($0) } ?? ""
        let problem = "\(ink.text(entry["status"])) \(ink.text(entry["code"]))\(reason)"
        let index = entry["index"]?.asInteger.map { ["(action \($0 + 1) of its batch)"] } ?? []
        let known = entry["type"] == nil ? [ink.revision(entry["revision"]), sender] : head
        return known + index + [ink.styled(problem, .red), payload].filter { !$0.isEmpty }
    }

    private var payload: String { entry["payload"].map { " " + ink.short($0) } ?? "" }

    /// Its name; without one its id, and without that its kind. An action that no client has sent has the cause instead.
    private var sender: String {
        if let actor = entry["actor"] { return ink.text(actor["name"] ?? actor["id"] ?? actor["kind"]) }
        let cause = entry["cause"]?.asInteger.map { " of #\($0)" } ?? ""
        return ink.styled("(\(ink.text(entry["origin"] ?? "system"))\(cause))", .dim)
    }
}
