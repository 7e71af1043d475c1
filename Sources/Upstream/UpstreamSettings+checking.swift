#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

extension UpstreamSettings {
    /// Where the service is, once all else is known to be in order too.
    func address() throws(InvalidUpstream) -> WebAddress {
        guard let address = WebAddress(url) else { throw .url }
        for (name, value) in headers where FieldLine.isFraming(name) || FieldLine.line(name, value) == nil {
            throw .header(name: name)
        }
        let files = [
            (caFile, "certificates to trust"), (clientCertificate, "client certificate"), (clientKey, "client key"),
        ]
        for (path, purpose) in files {
            if let path, access(path, R_OK) != 0 { throw .file(path, purpose: purpose) }
        }
        return address
    }
}
