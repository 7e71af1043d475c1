import JSON
import Platform

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
        var start = 0
        while let end = bytes.lineEnd(from: start) {
            guard let line = String(validating: bytes[start..<end], as: UTF8.self), !line.contains("\r") else {
                throw .malformed("a line of the stream")
            }
            start = end + 1
            try take(line)
        }
        bytes.removeFirst(start)
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

extension [UInt8] {
    /// Where a line ends that begins there; nil if its end has not come yet. A search by elements takes long under a sanitizer.
    fileprivate func lineEnd(from start: Int) -> Int? {
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let end = memchr(base + start, 10, bytes.count - start) else {
                return nil
            }
            return UnsafeRawPointer(end) - base
        }
    }
}
