/// Why a remote service cannot be called as it is configured.
package enum InvalidUpstream: Error, Hashable, CustomStringConvertible {
    /// Not an absolute `http` or `https` URL.
    case url
    /// A header that cannot be sent: not a field of RFC 9110, or one that frames the message.
    case header(name: String)
    /// A file that cannot be read, named with what it is for.
    case file(String, purpose: String)

    package var description: String {
        switch self {
        case .url: "the URL must be absolute, with the scheme http or https"
        case .header(let name): "the header \"\(name)\" cannot be sent"
        case .file(let path, let purpose): "the file \(path) of the \(purpose) cannot be read"
        }
    }
}
