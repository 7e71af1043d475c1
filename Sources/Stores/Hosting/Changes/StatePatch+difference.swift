import JSON

extension StatePatch {
    /// What makes one value of another, both as JSON; its paths begin with `path`.
    public init(from old: some Collection<UInt8>, to new: some Collection<UInt8>, at path: String = "") {
        self.init()
        guard let first = new.first, first == old.first, first == Self.brace || first == Self.bracket,
            let old = try? JSONValue(parsing: Array(old)), let after = try? JSONValue(parsing: Array(new))
        else {
            // What is no list and no object is not worth a closer look.
            if !old.elementsEqual(new) { operations.append(Operation(.replace, path, Array(new))) }
            return
        }
        for operation in JSONPatch(from: old, to: after).operations {
            if let operation = Operation(operation, below: path) { operations.append(operation) }
        }
    }

    private static let brace = UInt8(ascii: "{")
    private static let bracket = UInt8(ascii: "[")
}

extension StatePatch.Operation {
    /// Nil for what no difference is made of.
    fileprivate init?(_ operation: JSONPatch.Operation, below path: String) {
        switch operation {
        case .add(let place, let value): self.init(.add, path + place.description, value.encoded())
        case .remove(let place): self.init(.remove, path + place.description)
        case .replace(let place, let value): self.init(.replace, path + place.description, value.encoded())
        case .move, .copy, .test: return nil
        }
    }
}
