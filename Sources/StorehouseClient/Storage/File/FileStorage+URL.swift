#if canImport(Darwin)
    public import Foundation

    extension OutboxStorage {
        /// In a folder, as with a path.
        public static func file(_ url: URL) -> OutboxStorage { file(url.path(percentEncoded: false)) }
    }
#endif
