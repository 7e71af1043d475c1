import JSON

enum PatchProperties {
    /// The input is two documents, separated by a NUL. The second one is also parsed as a patch for the first.
    static func check(_ input: [UInt8]) throws(Finding) {
        var input = Input(input)
        guard let old = try? JSONValue(parsing: input.part()), let new = try? JSONValue(parsing: input.part()) else {
            return
        }
        try checkDifference(old, new)
        try checkDifference(new, old)
        try require(JSONPatch(from: old, to: old).isEmpty, "a document differs from itself")
        if let patch = try? JSONPatch(new) { try checkApplying(patch, to: old) }
    }

    private static func checkDifference(_ old: JSONValue, _ new: JSONValue) throws(Finding) {
        let patch = JSONPatch(from: old, to: new)
        var value = old
        try require((try? patch.apply(to: &value)) != nil, "\(patch) does not apply")
        try require(value == new, "\(patch) gives another document")
        try require(patch.isEmpty == (old == new), "\(patch) is not empty for equal documents only")
        let whole = JSONPatch([.replace(.root, new)])
        try require(patch.encoded().count <= whole.encoded().count, "\(patch) is larger than the whole")
        try checkText(of: patch)
    }

    /// The patch is applied completely or not at all, and the result survives encoding and parsing.
    private static func checkApplying(_ patch: JSONPatch, to document: JSONValue) throws(Finding) {
        try checkText(of: patch)
        var value = document
        do throws(JSONPatchError) {
            try patch.apply(to: &value)
        } catch {
            try require(patch.operations.indices.contains(error.operation ?? -1), "no operation is at fault")
            try require(value == document, "a patch that fails has changed the document")
            return
        }
        let written = value.encoded()
        let again = try? JSONValue(parsing: written, maximumDepth: JSONValue.maxDepth)
        try require(again == value, "the patched document changes by encoding and parsing")
    }

    private static func checkText(of patch: JSONPatch) throws(Finding) {
        let depth = JSONValue.maxDepth
        let read = (try? JSONValue(parsing: patch.encoded(), maximumDepth: depth)).flatMap { try? JSONPatch($0) }
        try require(read == patch, "\(patch) changes by encoding and parsing")
    }
}
