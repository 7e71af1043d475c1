import Foundation
import StorehouseServer
import Stores
import StoresTesting

/// Steps that a server and a model make side by side.
enum ModelRun {
    /// How many steps a server makes in sessions that know nothing of those before.
    static let length = 250

    /// What went wrong, at which step.
    struct Failure: Error, CustomStringConvertible {
        let step: Int
        let cause: any Error

        var description: String { "step \(step): \(cause)" }
    }

    static func steps(_ count: Int, seed: UInt64) -> [ModelStep] {
        var random = SeededGenerator(seed: seed)
        var steps: [ModelStep] = []
        while steps.count < count { steps += ModelStep.some(&random) }
        return Array(steps.prefix(count))
    }

    /// Makes the steps, and then ends all sessions, so that nothing can come later on a stream.
    ///
    /// - Parameter rest: lets sessions leave memory; nil if they stay.
    static func make(_ steps: [ModelStep], on servers: [any TestServing], _ guild: GuildKind, rest: (() -> Void)?)
        async throws
    {
        var model = AccessModel()
        var world = ModelWorld(servers, guild, mayForget: rest != nil)
        for (index, step) in steps.enumerated() {
            do {
                try await make(step, &model, &world, rest)
            } catch {
                throw Failure(step: index, cause: error)
            }
        }
        for index in model.sessions.indices where !model.sessions[index].hasEnded {
            let owner = ModelSender(user: model.sessions[index].owner)
            for verb in [ModelVerb.act(ModelPost(calls: [.touch, .open(true)])), .log, .end] {
                let step = ModelStep(sender: owner, session: index, node: index, verb: verb)
                do {
                    try await make(step, &model, &world, rest)
                } catch {
                    throw Failure(step: steps.count, cause: error)
                }
            }
        }
    }

    private static func make(
        _ step: ModelStep, _ model: inout AccessModel, _ world: inout ModelWorld, _ rest: (() -> Void)?
    ) async throws {
        if step.verb == .rest { rest?() }
        if let expected = model.make(step) { try await world.make(step, expected, model) }
    }

    /// As few of the steps as fail still, found by leaving out ever shorter parts.
    ///
    /// - Parameter attempts: how often it may try.
    static func shortened(
        _ steps: [ModelStep], attempts: Int = 300, fails: ([ModelStep]) async -> Bool
    ) async -> [ModelStep] {
        var (steps, left) = (steps, attempts)
        var size = max(1, steps.count / 2)
        while true {
            var start = 0
            var isShorter = false
            while start < steps.count, left > 0 {
                var fewer = steps
                fewer.removeSubrange(start..<min(start + size, steps.count))
                left -= 1
                if !fewer.isEmpty, await fails(fewer) { (steps, isShorter) = (fewer, true) } else { start += size }
            }
            if left == 0 || size == 1 && !isShorter { return steps }
            size = max(1, size / 2)
        }
    }
}
