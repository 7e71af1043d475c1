import JSON

enum PointerProperties {
    /// The input is a pointer, a NUL and a document.
    static func check(_ input: [UInt8]) throws(Finding) {
        var input = Input(input)
        let text = String(decoding: input.part(), as: UTF8.self)
        let bytes = Array(input.rest)
        switch Result(catching: { () throws(JSONPointerError) in try JSONPointer(text) }) {
        case .failure(let error): try checkError(error, text)
        case .success(let pointer):
            try checkText(of: pointer, text)
            try checkTarget(of: pointer, in: bytes)
        }
    }

    private static func checkError(_ error: JSONPointerError, _ text: String) throws(Finding) {
        switch error {
        case .missingLeadingSlash: try require(text.utf8.first != UInt8(ascii: "/"), "there is a slash")
        case .invalidEscape(let offset):
            let found = text.utf8.dropFirst(offset).first
            try require(found == UInt8(ascii: "~"), "at \(offset) there is no escape")
        }
    }

    private static func checkText(of pointer: JSONPointer, _ text: String) throws(Finding) {
        try require(pointer.description.utf8.elementsEqual(text.utf8), "\(text) is printed as \(pointer)")
        try require(JSONPointer(tokens: pointer.tokens) == pointer, "the tokens are another pointer")
        try require(pointer.tokens.count == text.utf8.count { $0 == UInt8(ascii: "/") }, "there is a token too many")
    }

    /// Scanning any bytes is safe. In JSON, the scanned range contains the value that the pointer finds.
    private static func checkTarget(of pointer: JSONPointer, in bytes: [UInt8]) throws(Finding) {
        let range = pointer.range(in: bytes)
        try require(range?.isEmpty != true && (range?.upperBound ?? 0) <= bytes.count, "the range is not in the bytes")
        guard let document = try? JSONValue(parsing: bytes) else { return }
        let scanned = range.flatMap { try? JSONValue(parsing: Array(bytes[$0])) }
        try require(scanned == pointer.value(in: document), "the scanned range contains \(String(describing: scanned))")
    }
}
