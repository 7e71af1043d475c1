import HTTP

/// The variables that Kubernetes sets in each container for each Service of the namespace, as Docker did for its links. A Service
/// called `storehouse` or `storehouse-redis` makes names that begin like those of settings.
enum ServiceVariable {
    private static let protocols = ["TCP", "UDP", "SCTP"]

    /// Whether both the name and the value are as Kubernetes makes them, so that a misspelt setting is not taken for one.
    static func matches(_ name: String, _ value: String) -> Bool {
        let words = name.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
        if words.suffix(2) == ["SERVICE", "HOST"] { return isAddress(value) }
        // The last one has the name of a port behind it.
        if zip(words, words.dropFirst()).contains(where: { $0 == "SERVICE" && $1 == "PORT" }) { return isPort(value) }
        if words.last == "PORT", isURL(value, of: protocols) { return true }
        return matches(portOf: words, value)
    }

    /// `…_PORT_6379_TCP`, alone or with `PROTO`, `PORT` or `ADDR` behind it.
    private static func matches(portOf words: [String], _ value: String) -> Bool {
        let isPlain = words.last.map(protocols.contains) == true
        let parts = Array((isPlain ? words : words.dropLast()).suffix(3))
        guard parts.count == 3, parts[0] == "PORT", isPort(parts[1]), protocols.contains(parts[2]) else { return false }
        if isPlain { return isURL(value, of: [parts[2]]) }
        return switch words.last {
        case "PROTO": value == parts[2].lowercased()
        case "PORT": value == parts[1]
        case "ADDR": isAddress(value)
        default: false
        }
    }

    private static func isAddress(_ text: String) -> Bool { !text.contains("/") && AddressRange(text) != nil }

    private static func isPort(_ text: String) -> Bool {
        text.utf8.allSatisfy { (48...57).contains($0) } && Int(text).map((1...65535).contains) == true
    }

    /// `tcp://10.0.0.1:80`
    private static func isURL(_ text: String, of protocols: [String]) -> Bool {
        guard let scheme = text.firstRange(of: "://"),
            protocols.contains(where: { $0.lowercased() == text[..<scheme.lowerBound] }),
            let colon = text.lastIndex(of: ":"), colon >= scheme.upperBound
        else { return false }
        let host = text[scheme.upperBound..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return isPort(String(text[text.index(after: colon)...]))
            && isAddress(String(isBracketed ? host.dropFirst().dropLast() : host))
    }
}
