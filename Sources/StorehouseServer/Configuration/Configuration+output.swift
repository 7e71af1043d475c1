package import JSON

extension Configuration {
    /// Every key with its value, in the shape and order of the file, with `***` for secrets.
    package var json: JSONValue {
        var document = JSONObject()
        for key in ConfigurationKey.all {
            document.set(key.path.split(separator: ".").map(String.init)[...], to: key.shownValue(in: self))
        }
        return .object(document)
    }

    /// What `check-config` prints: a file with these values, without the last line break.
    package var document: String {
        json.indented
    }

    /// The table of the README: key, default, what is allowed, what it means.
    package static var markdownTable: String {
        let rows = ConfigurationKey.all.map { key in
            "| `\(key.path)` | `\(key.defaultValue)` | \(key.expected.inTableCell) | \(key.summary.inTableCell) |\n"
        }
        return "| key | default | allowed | meaning |\n|---|---|---|---|\n" + rows.joined()
    }
}

extension JSONObject {
    /// Sets a value at the end of a path of names, and makes the objects on the way.
    fileprivate mutating func set(_ path: ArraySlice<String>, to value: JSONValue) {
        guard let first = path.first else { return }
        guard path.count > 1 else {
            self[first] = value
            return
        }
        var section = self[first]?.asObject ?? [:]
        section.set(path.dropFirst(), to: value)
        self[first] = .object(section)
    }
}

extension String {
    fileprivate var inTableCell: String {
        split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
