/// Passes events from a loop to the test, which awaits them.
final class Probe<Element: Sendable>: Sendable {
    private let stream: AsyncStream<Element>
    private let continuation: AsyncStream<Element>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func note(_ element: Element) {
        continuation.yield(element)
    }

    /// Waits for that many notes.
    func next(_ count: Int) async -> [Element] {
        var notes: [Element] = []
        for await note in stream {
            notes.append(note)
            if notes.count == count { break }
        }
        return notes
    }

    func next() async -> Element? {
        await next(1).first
    }

    /// The remaining notes. No more may be added.
    func remaining() async -> [Element] {
        continuation.finish()
        return await next(.max)
    }
}
