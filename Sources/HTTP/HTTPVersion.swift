/// The versions of HTTP that are spoken here. Every other one is refused with 505.
package enum HTTPVersion: Sendable, Hashable {
    case http10, http11
}
