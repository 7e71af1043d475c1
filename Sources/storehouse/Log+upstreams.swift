import StorehouseServer
import Stores
import Upstream

extension Log {
    /// A line for what has happened to a remote call: neither address nor body is in it.
    func tell(_ event: UpstreamEvent) {
        switch event {
        case .attempt(let upstream, let method, let number, let outcome, let length):
            debug(
                "upstream call",
                [
                    LogField("upstream", upstream), .init("method", method), .init("attempt", number),
                    .init("seconds", length),
                ] + Self.fields(outcome))
        case .circuit(let upstream, let circuit):
            let fields = [LogField("upstream", upstream), .init("circuit", circuit.rawValue)]
            circuit == .open ? warning("circuit", fields) : info("circuit", fields)
        }
    }

    private static func fields(_ outcome: UpstreamEvent.Outcome) -> [LogField] {
        switch outcome {
        case .answered(let status): [LogField("status", status)]
        case .failed(let code, let library):
            [LogField("code", code.rawValue)] + (library.map { [LogField("curl", $0)] } ?? [])
        }
    }
}
