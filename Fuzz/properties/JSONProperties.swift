import JSON

enum JSONProperties {
    /// The text is either rejected with an offset inside it, or a value that survives encoding and parsing.
    static func check(_ input: [UInt8]) throws(Finding) {
        switch Result(catching: { () throws(JSONSyntaxError) in try JSONValue(parsing: input) }) {
        case .failure(let error):
            try require((0...input.count).contains(error.offset), "offset \(error.offset) is outside of the text")
        case .success(let value):
            try checkWriting(value)
            try checkLayout(input, value)
            try checkNumbers(in: value)
        }
    }

    private static func checkWriting(_ value: JSONValue) throws(Finding) {
        let written = value.encoded(reservingCapacity: 1)
        let again = try? JSONValue(parsing: written)
        try require(again == value, "\(value) changes by encoding and parsing")
        try require(again?.hashValue == value.hashValue, "\(value) gets another hash by encoding and parsing")
        try require(again?.encoded() == written, "the encoding of \(value) is not deterministic")
    }

    /// White space around a value is ignored, and anything else behind it is rejected.
    private static func checkLayout(_ input: [UInt8], _ value: JSONValue) throws(Finding) {
        try require(
            (try? JSONValue(parsing: [0x20, 0x0A] + input + [0x0D, 0x09])) == value, "white space changes the value")
        try require((try? JSONValue(parsing: input + [0x00])) == nil, "a NUL behind the value is accepted")
        try require((try? JSONValue(parsing: input + [0x20, 0x22])) == nil, "a quote behind the value is accepted")
    }

    private static func checkNumbers(in value: JSONValue) throws(Finding) {
        switch value {
        case .array(let elements):
            for element in elements { try checkNumbers(in: element) }
        case .object(let object):
            for (_, value) in object { try checkNumbers(in: value) }
        case .number(let number):
            try require(number.double?.isFinite != false, "\(number.text) is not finite")
            guard let integer = number.exactInteger, let double = number.double else { return }
            try require(abs(double - Double(integer)) <= abs(double) * 1e-15, "\(number.text) is not \(integer)")
        default: return
        }
    }
}
