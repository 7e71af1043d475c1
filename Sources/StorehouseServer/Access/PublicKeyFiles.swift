import Locks
import Observability
import Platform
import Security

/// The files of `access.publicKeys`, read again when they are replaced.
final class PublicKeyFiles: Sendable {
    private let access: Configuration.Authorization
    private let log: Log
    // Guards which versions of the files were looked at last; an entry is nil where there was no file.
    private let versions: Locked<[FileVersion?]>

    /// Nil if the configuration has no such files. Make it before the keys are read for the first time.
    init?(_ access: Configuration.Authorization, _ log: Log) {
        guard access.mode == .token, !access.publicKeys.isEmpty else { return nil }
        self.access = access
        self.log = log
        versions = Locked(Self.versions(of: access))
    }

    /// Looks at the files, which costs a system call each.
    ///
    /// - Returns: verifies tokens with the new keys; nil if the files are the old ones, or cannot be used.
    func look() -> TokenVerifier? {
        let found = Self.versions(of: access)
        let isKnown = versions.withLock { versions in
            defer { versions = found }
            return versions == found
        }
        if isKnown { return nil }
        do throws(ConfigurationError) {
            let verifier = try access.tokenVerifier()
            log.info("public keys were replaced, and are read again")
            return verifier
        } catch {
            let detail = error.problems.map(\.detail).joined(separator: "; ")
            log.warning("replaced public keys cannot be used; the old ones stay", [.init("detail", detail)])
            return nil
        }
    }

    private static func versions(of access: Configuration.Authorization) -> [FileVersion?] {
        access.publicKeys.map { FileVersion(at: $0) }
    }
}
