package import Sockets

/// The sockets for clients: those of `http.host` and `http.port`, of `http.listen`, and those that systemd passes.
package struct ClientListeners {
    /// The addresses of one key, which have one port; or a Unix socket.
    private struct Place {
        var key = "http.listen"
        let name: String
        var addresses: [SocketAddress] = []
        var path: UnixSocketPath?
    }

    private let places: [Place]
    private let inherited: [ListeningSocket]

    /// - Parameter inherited: those that systemd passes.
    package init(_ http: Configuration.Http, inherited: [ListeningSocket]) throws {
        let first = try SocketAddress.listening(host: http.host, port: UInt16(http.port))
        var places = [Place(key: "http.port", name: "\(http.host):\(http.port)", addresses: first)]
        for text in http.listen {
            switch ListenAddress(text) {
            case .unix(let path): places.append(Place(name: text, path: path))
            case .tcp(let tcp):
                places.append(Place(name: text, addresses: try SocketAddress.listening(host: tcp.host, port: tcp.port)))
            case nil: throw ListenError("http.listen", text, .unresolved(host: text, reason: "it is no address"))
            }
        }
        self.places = places
        self.inherited = inherited
    }

    /// All addresses of networks.
    package var addresses: [SocketAddress] { places.flatMap(\.addresses) + inherited.map(\.address) }

    /// Opens the sockets, one for each loop of an address. A socket that systemd passes takes the place of the one that would have its
    /// address.
    ///
    /// - Returns: those of `http.port` first.
    package func open(count: Int, unacknowledgedTime: Duration) throws -> [[ListeningSocket]] {
        var (opened, rest): ([[ListeningSocket]], [ListeningSocket]) = ([], inherited)
        func taken(_ name: String) -> ListeningSocket? {
            rest.firstIndex { $0.name == name }.map { rest.remove(at: $0) }
        }
        for place in places {
            do throws(SocketError) {
                if let path = place.path {
                    let passed = taken("\(path)")
                    let sockets =
                        if let passed { try passed.copies(count) } else { try ListeningSocket.open(path, count: count) }
                    opened.append(sockets)
                }
                let passed = place.addresses.map { taken($0.description) }
                for socket in passed.compactMap(\.self) { opened.append(try socket.copies(count)) }
                let missing = zip(place.addresses, passed).filter { $1 == nil }.map(\.0)
                guard !missing.isEmpty else { continue }
                opened += try ListeningSocket.open(all: missing, count: count, unacknowledgedTime: unacknowledgedTime)
            } catch {
                for socket in opened.joined() { socket.close() }
                throw ListenError(place.key, place.name, error)
            }
        }
        for socket in rest {
            do throws(SocketError) {
                opened.append(try socket.copies(count))
            } catch {
                throw ListenError("LISTEN_FDS", socket.name, error)
            }
        }
        return opened
    }
}
