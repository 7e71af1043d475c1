/// The proxies whose statements about their clients are believed.
///
/// A proxy appends the address of its client to `Forwarded` (RFC 7239) or `X-Forwarded-For`. The client may forge the
/// addresses left of that, so addresses count from the right, through trusted proxies only.
package struct TrustedProxies: Sendable {
    private let ranges: [AddressRange]

    package init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

    package var isEmpty: Bool { ranges.isEmpty }

    package func contains(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// The address of the client behind `peer`, which has sent the request.
    ///
    /// It is `peer`, unless `peer` is trusted and names another. If it names an address that is trusted too, that proxy's
    /// statement counts, and so on. A value that is no address, such as `unknown`, ends the search at the proxy that sent it.
    package func client(behind peer: IPAddress, _ fields: HTTPFields) -> IPAddress {
        guard contains(peer) else { return peer }
        return client(behind: peer, forwarded: fields.values("forwarded"), xff: fields.values("x-forwarded-for"))
    }

    /// The address of the client behind `peer`, by the values of all `Forwarded` and all `X-Forwarded-For` lines.
    ///
    /// If both name a client, they must agree: a proxy writes one of them and passes the other on as the client sent it, and
    /// nothing tells which. Otherwise the client is `peer`.
    package func client(behind peer: IPAddress, forwarded: [String], xff: [String]) -> IPAddress {
        guard contains(peer) else { return peer }
        let hops = forwarded.map(ForwardedElement.hops)
        let isStated = hops.contains { !$0.isEmpty }
        guard isStated || !xff.isEmpty else { return peer }
        let byForwarded = client(behind: peer, hops)
        let byXFF = client(behind: peer, xff.map(Self.hops))
        if xff.isEmpty { return byForwarded }
        return !isStated || byForwarded == byXFF ? byXFF : peer
    }

    /// - Parameter lines: the hops of each field line; nil for one that is no address.
    private func client(behind peer: IPAddress, _ lines: [[IPAddress?]]) -> IPAddress {
        trustedHops(lines).compactMap { $0 }.last ?? peer
    }

    /// The hops that trusted proxies state, from the right: up to the first that is no trusted proxy itself.
    private func trustedHops(_ lines: [[IPAddress?]]) -> [IPAddress?] {
        var trusted: [IPAddress?] = []
        for hop in lines.joined().reversed() {
            trusted.append(hop)
            guard let hop, contains(hop) else { break }
        }
        return trusted
    }

    private static func hops(_ line: String) -> [IPAddress?] {
        line.utf8.split(separator: ASCII.comma).compactMap { element in
            let node = element.drop(while: \.isBlank)
            guard let last = node.lastIndex(where: { !$0.isBlank }) else { return nil }
            return .some(address(ofNode: Substring(node[...last])))
        }
    }

    /// The address of a node: an address, with a port or without, an IPv6 address with brackets or without (RFC 7239,
    /// section 6); nil for any other text.
    fileprivate static func address(ofNode node: Substring) -> IPAddress? {
        if let address = IPAddress(node) { return address }
        guard let end = node.utf8.last == ASCII.rightBracket ? node.endIndex : node.lastIndex(of: ":") else {
            return nil
        }
        let port = node[end...].dropFirst()
        guard end == node.endIndex || (1...5).contains(port.utf8.count), port.utf8.allSatisfy(ByteClass.digit.contains)
        else { return nil }
        let host = node[..<end]
        guard host.hasPrefix("[") else { return host.contains(":") ? nil : IPAddress(host) }
        let address = host.dropFirst().dropLast()
        return host.hasSuffix("]") && address.contains(":") ? IPAddress(address) : nil
    }
}

// The origin that the client asked for.
extension TrustedProxies {
    /// The host and the scheme that the client asked for, as a trusted proxy states them.
    package struct Statement: Sendable, Hashable {
        /// Host and port; nil if the proxy does not state them.
        package var host: String?
        /// `http` or `https`; nil if the proxy does not state it.
        package var scheme: String?
    }

    /// The statement of `Forwarded`, or else of `X-Forwarded-Host` and `X-Forwarded-Proto`, about the request of the
    /// client.
    ///
    /// As with addresses, values count from the right, through trusted proxies only: of `X-Forwarded-Host: forged, site` one
    /// proxy has stated `site`. A proxy may replace a field instead of appending to it, so if there are fewer values than
    /// proxies, the leftmost counts.
    ///
    /// - Returns: nil if `peer` is not trusted.
    package func statement(of peer: IPAddress, _ fields: HTTPFields) -> Statement? {
        guard contains(peer) else { return nil }
        let forwarded = fields.values("forwarded")
        let elements = forwarded.flatMap { ForwardedElement.elements($0) ?? [] }
            .suffix(max(1, trustedHops(forwarded.map(ForwardedElement.hops)).count))
        let hops = max(1, trustedHops(fields.values("x-forwarded-for").map(Self.hops)).count)
        func stated(_ name: StaticString) -> String? {
            fields.values(name).flatMap { $0.split(separator: ",") }.suffix(hops).first
                .map { String($0.filter { $0 != " " && $0 != "\t" }) }
        }
        return Statement(
            host: elements.compactMap { $0["host"] }.first ?? stated("x-forwarded-host"),
            scheme: (elements.compactMap { $0["proto"] }.first ?? stated("x-forwarded-proto"))?.lowercased())
    }
}

/// One element of a `Forwarded` field: the statement of one proxy about a request.
private struct ForwardedElement {
    private let parameters: [Parameter]

    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The clients that the elements of a line name, each nil if it is no address. A malformed line has one that is nil; a
    /// line without any `for` has none.
    static func hops(_ line: String) -> [IPAddress?] {
        guard let elements = elements(line) else { return [nil] }
        let nodes = elements.map { $0["for"] }
        guard nodes.contains(where: { $0 != nil }) else { return [] }
        return nodes.map { $0.flatMap { TrustedProxies.address(ofNode: $0[...]) } }
    }

    /// The elements of a line; nil if one is malformed. Then the ends of the others are uncertain: a client can send a
    /// quote that is closed behind what the proxy appends.
    static func elements(_ line: String) -> [ForwardedElement]? {
        var cursor = FieldCursor(line)
        var elements: [ForwardedElement] = []
        while cursor.nextElement() {
            guard let parameters = parameters(&cursor), cursor.elementEnds(),
                Set(parameters.map(\.name)).count == parameters.count
            else { return nil }
            elements.append(ForwardedElement(parameters: parameters))
        }
        return elements
    }

    /// Parses `[ pair ] *( ";" [ pair ] )` (RFC 7239, section 4).
    private static func parameters(_ cursor: inout FieldCursor) -> [Parameter]? {
        var first: [Parameter] = []
        if let name = cursor.token() {
            guard cursor.take(ASCII.equals), let value = cursor.word() else { return nil }
            first = [Parameter(name: name.lowercased(), value: value)]
        }
        return cursor.parameters().map { first + $0 }
    }
}
