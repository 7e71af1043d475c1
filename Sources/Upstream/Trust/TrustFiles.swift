import CCrypto
import Platform

/// The certificates and keys of a service, read again when their files are replaced.
///
/// A file that cannot be used leaves the old content in place, and is reported once. It lives on the loop.
final class TrustFiles {
    /// The certificates and keys of one transfer.
    struct Material {
        enum Authorities {
            case system
            /// The file as it is: libcurl reads it once for many connections.
            case file(String)
            /// The last content that could be used, because that of the file cannot.
            case content([UInt8])
        }

        var authorities = Authorities.system
        /// The client's certificate and its key.
        var client: (certificate: [UInt8], key: [UInt8])?
    }

    /// The result of a look at the files.
    enum Change: Equatable {
        case replaced
        /// - reason: for the log; it follows the name of the file.
        case unusable(reason: String)
    }

    private static let maxBytes = 16 << 20
    /// A certificate and its key are replaced one after the other, so they are read after so many milliseconds of rest.
    private static let restTime = 1000

    private let settings: UpstreamSettings
    private var authorities: [UInt8]?
    private var client: (certificate: [UInt8], key: [UInt8])?
    /// Which versions of the files were looked at last; an entry is nil where there was no file.
    private var versions: [FileVersion?] = []
    private(set) var material = Material()

    /// Reads the files. If one of them cannot be used, neither can the calls, until it is replaced.
    init(_ settings: UpstreamSettings) {
        self.settings = settings
        versions = paths.map { FileVersion(at: $0) }
        authorities = settings.caFile.flatMap { try? Self.content(of: $0) }
        client = try? readClient()
        // libcurl says why a file cannot be used.
        if let file = settings.caFile { material.authorities = .file(file) }
        material.client = client
    }

    private var paths: [String] {
        let certificate = settings.clientCertificate
        let key = certificate == nil ? nil : settings.clientKey
        return [settings.caFile, certificate, key].compactMap(\.self)
    }

    /// Looks at the files, which costs a system call each.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: nil if nothing has changed.
    func look(now: Int) -> Change? {
        guard !paths.isEmpty else { return nil }
        let found = paths.map { FileVersion(at: $0) }
        guard found != versions else { return nil }
        if settings.clientCertificate != nil, found.contains(where: { Self.isFresh($0, now) }) { return nil }
        versions = found
        do throws(Unusable) {
            try readAgain()
            return .replaced
        } catch {
            return .unusable(reason: error.reason)
        }
    }

    private static func isFresh(_ version: FileVersion?, _ now: Int) -> Bool {
        version.map { (0..<restTime).contains(now - $0.changedAt) } ?? false
    }

    private func readAgain() throws(Unusable) {
        if let file = settings.caFile {
            // Until the file can be used again, its last good content stands in for it.
            if let authorities { material.authorities = .content(authorities) }
            let content = try Self.content(of: file)
            guard content.withUnsafeBufferPointer(Self.areCertificates) else {
                throw Unusable(file, "it has no certificates in PEM, or a broken one")
            }
            authorities = content
            material.authorities = .file(file)
        }
        if settings.clientCertificate != nil {
            client = try readClient()
            material.client = client
        }
    }

    private func readClient() throws(Unusable) -> (certificate: [UInt8], key: [UInt8])? {
        guard let path = settings.clientCertificate else { return nil }
        let certificate = try Self.content(of: path)
        let key = try settings.clientKey.map(Self.content) ?? certificate
        // The first content is for libcurl to judge.
        if client != nil, !Self.fit(certificate, key, settings.clientKeyPassword ?? "") {
            throw Unusable(path, "it is no certificate in PEM, or its key does not fit")
        }
        return (certificate, key)
    }

    private struct Unusable: Error {
        let reason: String

        init(_ path: String, _ reason: String) { self.reason = "\(path): \(reason)" }
    }

    private static func content(of path: String) throws(Unusable) -> [UInt8] {
        do throws(FileError) {
            return try FileContents.contents(of: path, atMost: maxBytes, waits: false)
        } catch {
            throw Unusable(path, "it cannot be read: \(error)")
        }
    }

    // Without libcrypto, libcurl alone decides.
    private static let canCheck = ccrypto_load(CCRYPTO_LIBRARY) == nil

    private static func areCertificates(_ pem: UnsafeBufferPointer<UInt8>) -> Bool {
        !canCheck || ccrypto_count_certificates(pem.baseAddress, pem.count) > 0
    }

    private static func fit(_ certificate: [UInt8], _ key: [UInt8], _ password: String) -> Bool {
        !canCheck || ccrypto_key_fits(certificate, certificate.count, key, key.count, password) == 1
    }
}
