/// One event of a stream (HTML Living Standard, 9.2).
package struct StreamedEvent: Sendable, Hashable {
    package var name: String
    package var data: String
    /// The id that a client sends back to resume: that of this event, or of the last one before it that had an id.
    package var id: String

    package init(name: String, data: String, id: String) {
        self.name = name
        self.data = data
        self.id = id
    }
}

/// Cuts the bytes of a `text/event-stream` into events, however they are divided.
package struct EventStreamParser: Sendable {
    /// A longer line or event is not from this server, and would fill the memory.
    private let maxBytes: Int
    private var line: [UInt8] = []
    private var endedWithReturn = false
    private var isFirstLine = true
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var id: String

    /// How long to wait before reconnecting, if the server has said so.
    package private(set) var retry: Duration?
    /// The longest time without a byte of the stream, if the server has said so, in a comment.
    package private(set) var heartbeat: Duration?
    /// False once a line or an event was too long.
    package private(set) var isValid = true

    /// - Parameters:
    ///   - lastEventID: the id with which the stream was resumed.
    ///   - maxBytes: the longest line or event.
    package init(lastEventID: String = "", maxBytes: Int = 64 << 20) {
        id = lastEventID
        self.maxBytes = maxBytes
    }

    /// Takes the next bytes, and returns the events that they complete.
    package mutating func feed(_ bytes: [UInt8]) -> [StreamedEvent] {
        var events: [StreamedEvent] = []
        for byte in bytes {
            switch byte {
            // The second half of CR LF.
            case 10 where endedWithReturn: endedWithReturn = false
            case 10, 13:
                endedWithReturn = byte == 13
                if let event = endLine() { events.append(event) }
            default:
                endedWithReturn = false
                line.append(byte)
            }
        }
        if line.count + data.count > maxBytes { isValid = false }
        return events
    }

    private mutating func endLine() -> StreamedEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        read(String(decoding: line[..<colon], as: UTF8.self), value)
        return nil
    }

    private mutating func read(_ field: String, _ value: ArraySlice<UInt8>) {
        let text = String(decoding: value, as: UTF8.self)
        switch field {
        case "event": name = text
        case "data":
            if hasData { data.append(10) }
            data += value
            hasData = true
        case "id" where !value.contains(0): id = text
        case "retry" where !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }:
            if let milliseconds = Int(text) { retry = .milliseconds(milliseconds) }
        case "":
            let words = text.split(separator: " ")
            if words.count == 3, words[0] == "heartbeat", words[2] == "ms", let time = UInt32(words[1]), time > 0 {
                heartbeat = .milliseconds(time)
            }
        default: break
        }
    }

    private mutating func endEvent() -> StreamedEvent? {
        defer {
            name = ""
            data = []
            hasData = false
        }
        guard hasData else { return nil }
        return StreamedEvent(name: name.isEmpty ? "message" : name, data: String(decoding: data, as: UTF8.self), id: id)
    }
}
