import Locks
import StorehouseClient

/// Hears a stream, and lets a test wait for what it hears.
@MainActor
final class StreamListener {
    private(set) var parts: [StreamPart] = []
    private var waiters: [(condition: ([StreamPart]) -> Bool, met: Promise<Void>)] = []
    /// Called for each part behind the others.
    var onPart: (StreamPart) -> Void = { _ in }

    func hear(_ part: StreamPart) {
        parts.append(part)
        onPart(part)
        waiters.removeAll { waiter in
            guard waiter.condition(parts) else { return false }
            waiter.met.fulfill(())
            return true
        }
    }

    /// Returns once the parts meet a condition.
    func until(_ condition: @escaping ([StreamPart]) -> Bool) async {
        if condition(parts) { return }
        let met = Promise<Void>()
        waiters.append((condition, met))
        await met.value()
    }

    /// Returns once the stream has ended.
    func untilEnd() async { await until { $0.last?.isEnd == true } }

    var text: String {
        String(
            decoding: parts.flatMap { part in
                if case .bytes(let bytes) = part { bytes } else { [UInt8]() }
            }, as: UTF8.self)
    }
}

extension StreamPart {
    var isEnd: Bool { if case .end = self { true } else { false } }
}
