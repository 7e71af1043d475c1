import JSON
import Observability
import Platform

/// Creates a package with a server of its own.
package struct InitCommand: Sendable, Hashable {
    /// The name of the package, its store, its program and its folder.
    package let name: String
    /// The path of a checkout to depend on, which is written as it is if it is absolute, or the URL of a repository; nil for the checkout that this program was built from.
    package let from: String?
    /// The version in the repository.
    package let version: String?
    package let inJSON: Bool

    package init(
        name: String, from: String? = nil, version: String? = nil, inJSON: Bool = false
    ) throws(UsageError) {
        let isName =
            name.utf8.count <= 64 && name.first.map { $0.isASCII && $0.isLetter } == true
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        guard isName else {
            throw .wrong(
                "'\(name)' cannot be the name of a package and its store: a letter, then letters, digits and -, 64 at most"
            )
        }
        let module = InitTemplates.module(name)
        guard !InitTemplates.reservedModules.contains(module.lowercased()) else {
            throw .wrong("'\(name)' is the name of a module that the package imports; choose another name")
        }
        self.name = name
        self.from = from
        self.version = version
        self.inJSON = inJSON
        try checkSource()
    }

    private func checkSource() throws(UsageError) {
        let isURL = from.map { $0.contains("://") || $0.hasPrefix("git@") } ?? false
        if isURL, version == nil {
            throw .wrong("--from names a repository, so --version must say which version of it")
        }
        guard let version else { return }
        if !isURL { throw .wrong("--version is for a repository: --from URL; a checkout is used as it is") }
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ UInt($0) != nil }) else {
            throw .wrong("'\(version)' is not a version: three numbers, such as 1.4.0")
        }
    }

    /// Creates the folder in the working directory, or in another one.
    ///
    /// - Parameter directory: the path before the name, with a slash at its end.
    /// - Returns: the paths of the created files.
    package func create(in directory: String = "") throws(CommandFailure) -> [String] {
        let root = directory + name
        guard Self.isFree(root) else {
            throw CommandFailure("\(root) exists and is not empty; choose another name, or move it away")
        }
        let source = try StorehouseSource(from, version: version, package: try Self.absolute(directory) + "/" + name)
        let files = InitTemplates(name: name, source: source).files
        for file in files {
            try Self.write(file.text, to: root + "/" + file.path)
        }
        return files.map { name + "/" + $0.path }
    }

    func run() throws {
        let files = try create()
        if inJSON {
            let document: JSONValue = ["package": .string(name), "files": .array(files.map(JSONValue.string))]
            Console.print(document.description)
        } else {
            Console.print(files.joined(separator: "\n"))
            Console.printError("Next: cd \(name) && swift run \(name) serve")
        }
    }

    /// The absolute path of a folder, without links.
    private static func absolute(_ directory: String) throws(CommandFailure) -> String {
        let path = directory.isEmpty ? "." : directory
        guard let real = realPath(path) else {
            throw CommandFailure("\(path): \(String(cString: strerror(errno)))")
        }
        return real
    }

    /// Whether there is nothing at the path, or an empty folder.
    private static func isFree(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return true }
        return Folder.names(in: path)?.isEmpty == true
    }

    /// Writes a new file, and makes the folders on its way.
    private static func write(_ text: String, to path: String) throws(CommandFailure) {
        for (index, character) in zip(path.indices, path) where character == "/" && index > path.startIndex {
            mkdir(String(path[..<index]), 0o755)
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw CommandFailure("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Platform.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else {
                throw CommandFailure("\(path): \(String(cString: strerror(errno)))")
            }
            bytes = bytes.dropFirst(max(count, 0))
        }
        // Some file systems find only here that a disk is full.
        guard fsync(descriptor) == 0, Folder.sync(Folder.of(path)) else {
            throw CommandFailure("\(path): \(String(cString: strerror(errno)))")
        }
    }
}
