import HTTP

/// The header fields that name the client and the site: `Forwarded`, `X-Forwarded-For`, `Host` and `Origin`.
enum AddressProperties {
    private static let proxies = TrustedProxies(["10.0.0.0/8", "fd00::/8"].compactMap(AddressRange.init))
    private static let proxy = IPAddress(ipv4: 0x0A00_0001)
    private static let stranger = IPAddress(ipv4: 0xC000_0201)

    /// The parts of the input are values of the four fields.
    static func check(_ input: [UInt8]) throws(Finding) {
        var input = Input(input)
        let forwarded = String(decoding: input.part(), as: UTF8.self)
        let xff = String(decoding: input.part(), as: UTF8.self)
        let host = input.part()
        let origin = String(decoding: input.part(), as: UTF8.self)
        try checkClients(forwarded, xff)
        for text in [xff, origin] { try checkAddress(text) }
        try checkHost(host)
        try checkOrigin(origin)
    }

    /// A client cannot pass for another: what the trusted proxy appends counts, or else the proxy's own address.
    private static func checkClients(_ forwarded: String, _ xff: String) throws(Finding) {
        func client(_ forwarded: [String], _ xff: [String]) -> IPAddress {
            proxies.client(behind: proxy, forwarded: forwarded, xff: xff)
        }
        try require(
            proxies.client(behind: stranger, forwarded: [forwarded], xff: [xff]) == stranger,
            "a stranger's fields are believed")
        for (text, address) in [("203.0.113.7", "203.0.113.7"), ("[2001:db8::7]:4711", "2001:db8::7")] {
            guard let real = IPAddress(address) else { throw Finding(message: "\(address) is not an address") }
            let element = text.hasPrefix("[") ? "for=\"\(text)\"" : "for=\(text)"
            try require(client([], [xff + ", " + text]) == real, "X-Forwarded-For is forged: \(xff)")
            try require(client([], [xff, text]) == real, "X-Forwarded-For is forged by a line: \(xff)")
            try require(client([forwarded, element], []) == real, "Forwarded is forged by a line: \(forwarded)")
            let joined = client([forwarded + ", " + element], [])
            try require(joined == real || joined == proxy, "Forwarded is forged: \(forwarded)")
            // The proxy writes one field, and the client the other.
            try require(
                [real, proxy].contains(client([element], [xff])), "X-Forwarded-For wins over Forwarded: \(xff)")
            let other = client([forwarded], [text])
            try require([real, proxy].contains(other), "Forwarded wins over X-Forwarded-For: \(forwarded)")
        }
    }

    private static func checkAddress(_ text: String) throws(Finding) {
        guard let address = IPAddress(text) else { return }
        try require(IPAddress(address.description) == address, "\(text) is written as \(address)")
        try require(AddressRange(text)?.contains(address) == true, "\(text) does not contain itself")
        for length in [0, 8, 31, 32] {
            let range = AddressRange("\(text)/\(length)")
            let isMixed = address.isIPv4 && text.contains(":")
            try require(range?.contains(address) == (isMixed ? nil : true), "\(text)/\(length) does not contain it")
        }
    }

    /// A request is allowed only if its host, without the port, is one of the names.
    private static func checkHost(_ host: [UInt8]) throws(Finding) {
        let bytes = Array("GET / HTTP/1.1\r\nHost: ".utf8) + host + Array("\r\n\r\n".utf8)
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head(let head, _) = bytes.withUnsafeBytes({ parser.parse($0) }) else { return }
        let isAllowed = AllowedHosts(["localhost", "::1"]).allows(head, from: stranger)
        let authority = (head.authority ?? "").lowercased()
        let name = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        let isNamed = ["localhost", "localhost."].contains(name)
        let isLoopback = name.hasPrefix("[") && IPAddress(name.dropFirst().dropLast())?.bits == 1
        try require(isAllowed == (isNamed || isLoopback), "the host \(authority) is \(isAllowed ? "" : "not ")allowed")
        try require(AllowedHosts(["*"]).allows(head, from: stranger), "not every host is allowed")
    }

    private static func checkOrigin(_ text: String) throws(Finding) {
        guard let origin = WebOrigin(text) else { return }
        try require(!text.contains("@") && text != "null", "\(text) is taken for an origin")
        let authority = origin.host + (origin.port.map { ":\($0)" } ?? "")
        try require(
            WebOrigin(scheme: origin.scheme, authority: authority) == origin, "\(text) is written as \(authority)")
    }
}
