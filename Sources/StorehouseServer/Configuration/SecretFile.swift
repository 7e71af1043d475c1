import Platform

/// A file with the text of one secret.
package struct SecretFile {
    package struct Unusable: Error {
        /// It follows the name of the file.
        package let detail: String
    }

    /// Without the line end that most tools write behind it.
    package let text: String
    let isReadableByAll: Bool

    package init(_ path: String) throws(Unusable) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileContents.contents(of: path, atMost: 1 << 16)
        } catch {
            throw Unusable(detail: "cannot be read: \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self)?.withoutLineEnd else {
            throw Unusable(detail: "is not a text in UTF-8")
        }
        // An empty value means that there is no secret, and nobody makes a file to say that.
        guard !text.isEmpty else { throw Unusable(detail: "is empty") }
        self.text = text
        var status = stat()
        isReadableByAll =
            stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_mode & S_IROTH != 0
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR
    }
}

extension String {
    /// Without one line end behind it.
    var withoutLineEnd: String {
        // A line end of two bytes is one character.
        guard let last, last == "\n" || last == "\r\n" else { return self }
        return String(dropLast())
    }
}
