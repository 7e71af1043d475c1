/// The release.
package enum StorehouseVersion {
    package static let current = "0.1.0"
    /// The User-Agent of outgoing requests.
    package static let userAgent = "storehouse/\(current)"
}
