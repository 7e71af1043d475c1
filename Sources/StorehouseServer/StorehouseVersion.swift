/// Which release this is.
package enum StorehouseVersion {
    package static let current = "0.1.0"
    /// How it names itself to servers that it calls.
    package static let userAgent = "storehouse/\(current)"
}
