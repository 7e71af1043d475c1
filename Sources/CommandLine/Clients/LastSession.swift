import Platform

/// The file with the address of the last session that a command has made. Whoever can read it may use the session.
package struct LastSession: Sendable, Hashable {
    /// Nil if the user has no folder for such files.
    private let folder: String?

    /// Finds the folder of the user's state (XDG Base Directory Specification).
    package init(_ environment: [String: String]) {
        // The specification wants relative paths to be ignored.
        func path(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let base = path("XDG_STATE_HOME") ?? path("HOME").map { $0 + "/.local/state" }
        folder = base.map { $0 + "/storehouse" }
    }

    private var path: String? { folder.map { $0 + "/session" } }

    /// The address; nil if no command has made a session.
    package var address: String? {
        guard let path, let bytes = try? FileContents.contents(of: path, atMost: 65_536) else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }
        return line.isEmpty ? nil : String(line)
    }

    /// Keeps the address of a session. A command that cannot do so has done its work all the same.
    package func keep(_ session: SessionURL) {
        guard let folder, let path else { return }
        for (index, character) in zip(folder.indices, folder) where character == "/" && index > folder.startIndex {
            mkdir(String(folder[..<index]), 0o700)
        }
        mkdir(folder, 0o700)
        // Another command may write at the same moment, and a reader must never see half an address.
        let new = "\(path).\(getpid())"
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let bytes = Array((session.text + "\n").utf8)
        let isWhole = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count
        guard close(file) == 0, isWhole, rename(new, path) == 0 else {
            unlink(new)
            return
        }
    }
}
