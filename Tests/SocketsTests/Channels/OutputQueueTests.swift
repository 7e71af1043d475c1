import Glibc
import Sockets
import Testing

@Suite struct OutputQueueTests {
    @Test(arguments: 1...8)
    func agreesWithOneLongArray(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = OutputQueue()
        var model: [UInt8] = []
        for step in 0..<2000 {
            if Bool.random(using: &random) {
                let bytes = [UInt8](repeating: UInt8(step % 251), count: Int.random(in: 0...40, using: &random))
                queue.append(bytes)
                model += bytes
            } else {
                let count = Int.random(in: 0...60, using: &random)
                queue.consume(count)
                model.removeFirst(min(count, model.count))
            }
            #expect(queue.byteCount == model.count)
            #expect(queue.isEmpty == model.isEmpty)
            let front = Self.front(of: queue)
            #expect(front == Array(model.prefix(front.count)))
            #expect(front.isEmpty == model.isEmpty)
        }
    }

    @Test func offersSeveralArraysUpToALimit() {
        var queue = OutputQueue()
        for _ in 0..<100 {
            queue.append([1, 2])
        }
        #expect(queue.withParts { $0.count } == 32)
        queue.consume(200 - 6)
        #expect(queue.withParts { $0.count } == 3)
    }

    @Test func doesNotCopyArrays() {
        let bytes = [UInt8](repeating: 1, count: 1000)
        var queue = OutputQueue()
        queue.append(bytes)
        queue.append(bytes)
        let original = bytes.withUnsafeBytes { $0.baseAddress }
        #expect(queue.withParts { parts in parts.map { UnsafeRawPointer($0.iov_base) } } == [original, original])
        queue.consume(1)
        #expect(queue.withParts { parts in parts.map(\.iov_len) } == [999, 1000])
        #expect(queue.byteCount == 1999 && queue.heldBytes == 2000)
        queue.consume(1998)
        #expect(queue.byteCount == 1 && queue.heldBytes == 1000)
        queue.consume(1)
        #expect(queue.heldBytes == 0)
    }

    @Test(arguments: 1...8)
    func movesItsBytesToABuffer(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = OutputQueue()
        var (all, moved): ([UInt8], [UInt8]) = ([], [])
        for step in 0..<500 {
            let bytes = [UInt8](repeating: UInt8(step % 251), count: Int.random(in: 0...40, using: &random))
            queue.append(bytes)
            all += bytes
            var buffer = [UInt8](repeating: 0, count: Int.random(in: 0...60, using: &random))
            let expected = min(queue.byteCount, buffer.count)
            let count = buffer.withUnsafeMutableBytes { queue.move(to: $0) }
            #expect(count == expected)
            moved += buffer.prefix(count)
            #expect(moved.count + queue.byteCount == all.count)
        }
        #expect(moved == Array(all.prefix(moved.count)))
    }

    private static func front(of queue: OutputQueue) -> [UInt8] {
        queue.withParts { parts in
            parts.flatMap { Array(UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len)) }
        }
    }
}
