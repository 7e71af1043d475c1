import JSON

/// Cuts the text of an event stream into what it says; anything that no rule allows is a failure.
struct EventParser {
    private var bytes: [UInt8] = []
    private var items: [StreamItem] = []
    private var event = StreamEvent()
    private var data: [String] = []

    /// Whether nothing is left, not even half an event.
    var isEmpty: Bool { bytes.isEmpty && items.isEmpty && data.isEmpty && event == StreamEvent() }

    mutating func next() -> StreamItem? { items.isEmpty ? nil : items.removeFirst() }

    mutating func feed(_ more: [UInt8]) throws(Wire.Failure) {
        bytes += more
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            guard let line = String(validating: bytes[..<end], as: UTF8.self), !line.contains("\r") else {
                throw .malformed("a line of the stream")
            }
            bytes.removeSubrange(...end)
            try take(line)
        }
    }

    private mutating func take(_ line: String) throws(Wire.Failure) {
        if line.isEmpty { return try endEvent() }
        if line.hasPrefix(":") { return items.append(.comment(String(line.dropFirst(2)))) }
        guard let colon = line.range(of: ": ") else { throw .malformed("line \(line)") }
        let value = String(line[colon.upperBound...])
        switch line[..<colon.lowerBound] {
        case "event": event.name = value
        case "id": event.id = value
        case "data": data.append(value)
        case "retry":
            guard let milliseconds = Int(value) else { throw .malformed("retry \(value)") }
            items.append(.retry(milliseconds))
        default: throw .malformed("line \(line)")
        }
    }

    private mutating func endEvent() throws(Wire.Failure) {
        defer {
            event = StreamEvent()
            data = []
        }
        guard !data.isEmpty else { return }
        guard let json = try? JSONValue(parsing: data.joined(separator: "\n")) else { throw .malformed("data") }
        event.data = json
        items.append(.event(event))
    }
}

extension String {
    /// Where a part first stands.
    fileprivate func range(of part: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
            start = index(after: start)
        }
        return nil
    }
}
