import Dispatch
import FuzzProperties
import Locks
import StoresTesting

/// Sends requests that went wrong on their way, each on a connection of its own, and some at once.
struct Replayer: Sendable {
    static let inFlight = 8

    let port: Int
    /// The requests that are changed.
    let seeds: [[UInt8]]

    /// Sends so many, on a thread of its own, and waits for the end of each connection.
    ///
    /// - Parameter seed: says which ones.
    /// - Returns: how many were answered at all.
    func run(_ count: Int, seed: UInt64) async throws -> Int {
        try await Promise.value { done in
            DispatchQueue(label: "replay").async { done(Result { try send(count, SeededGenerator(seed: seed)) }) }
        }.get()
    }

    private func send(_ count: Int, _ random: SeededGenerator) throws -> Int {
        var random = random
        var answered = 0
        for first in stride(from: 0, to: count, by: Self.inFlight) {
            let requests = (first..<min(first + Self.inFlight, count)).map { _ in random.mutated(seeds) }
            answered += try exchange(requests)
        }
        return answered
    }

    private func exchange(_ requests: [[UInt8]]) throws -> Int {
        var wires: [Wire] = []
        defer { for wire in wires { wire.shut() } }
        for request in requests {
            let wire = try Wire(port: port, receiveBuffer: nil)
            wires.append(wire)
            // Then the system forgets it at once when it is closed, and does not run out of ports.
            wire.makeReset()
            try wire.send(request[...])
            wire.finish()
        }
        return try requests.indices.count { try isAnswered(requests[$0], &wires[$0]) }
    }

    /// Nothing is an answer only to what was not complete; a failure of the server's own is none.
    private func isAnswered(_ request: [UInt8], _ wire: inout Wire) throws -> Bool {
        let answer = try wire.rest()
        guard !answer.isEmpty else { return false }
        let isSound = answer.starts(with: "HTTP/1.1 ".utf8) && !answer.starts(with: "HTTP/1.1 500".utf8)
        guard isSound else {
            let (request, answer) = (String(decoding: request, as: UTF8.self), String(decoding: answer, as: UTF8.self))
            throw Wire.Failure.malformed("\(request) gets \(answer)")
        }
        return true
    }
}
