/// The versions of HTTP that are spoken here. A later 1.x is read as 1.1 (RFC 9110, section 2.5); every other major version
/// is refused with 505.
package enum HTTPVersion: Sendable, Hashable {
    case http10, http11
}
