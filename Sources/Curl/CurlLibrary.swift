import CCurl
import Platform

/// libcurl, loaded for the first call, because a program without calls does not need the dozen libraries that come with
/// it.
package struct CurlLibrary: Sendable {
    /// Why the library cannot be loaded.
    package enum Problem: Sendable, Hashable {
        case missing
        case noDescriptors

        /// Part of a sentence.
        package var reason: String {
            switch self {
            case .missing: "libcurl is not installed (Debian: libcurl4)"
            case .noDescriptors: "the process has too many open files"
            }
        }
    }

    /// The library's name on this system.
    package static let name = CCURL_LIBRARY

    private let name: String
    private let hasFreeDescriptor: @Sendable () -> Bool
    private let warn: @Sendable (String) -> Void
    private var warned: Set<Problem> = []

    /// - Parameters:
    ///   - name: the file name of the library.
    ///   - warn: called once for each reason for which the library cannot be loaded.
    ///   - hasFreeDescriptor: whether the process can open a file.
    package init(
        name: String = Self.name, warn: @escaping @Sendable (String) -> Void = { _ in },
        hasFreeDescriptor: @escaping @Sendable () -> Bool = Self.canOpenFile
    ) {
        self.name = name
        self.hasFreeDescriptor = hasFreeDescriptor
        self.warn = warn
    }

    /// Loads the library if it is not loaded yet, which takes some milliseconds.
    ///
    /// - Returns: the reason if it cannot be loaded. The next call tries again.
    package mutating func load() -> Problem? {
        guard let problem = ccurl_load(name).map({ String(cString: $0) }) else { return nil }
        // Without a free descriptor the system does not find a library that is there.
        let reason: Problem = hasFreeDescriptor() ? .missing : .noDescriptors
        if warned.insert(reason).inserted {
            let advice = hasFreeDescriptor() ? "install libcurl (Debian: libcurl4)" : reason.reason
            warn("remote services cannot be called, \(advice): \(problem)")
        }
        return reason
    }

    /// Whether the process can open a file.
    @Sendable package static func canOpenFile() -> Bool {
        let descriptor = Platform.open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno != EMFILE && errno != ENFILE }
        _ = close(descriptor)
        return true
    }
}
