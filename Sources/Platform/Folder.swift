/// A folder of the file system.
package enum Folder {
    /// The folder of a path, with a slash at its end unless it is the working directory.
    package static func of(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// The names in a folder, without `.` and `..`; nil if it cannot be read.
    package static func names(in path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Syncs the names in a folder. Until then a power failure may take away the name of a file whose content is on disk.
    ///
    /// - Returns: false if that failed, with the reason in `errno`. True where the file system syncs no folders.
    package static func sync(_ path: String) -> Bool {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        let isSynced = fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP
        let problem = errno
        close(folder)
        errno = problem
        return isSynced
    }
}
