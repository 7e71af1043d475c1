import JSON
import Locks

/// Hosts one store: decodes actions by the kind's catalogue, encodes the state once for each revision.
final class Host<State: HostedState, Action: CataloguedAction>: HostedStore {
    private let engine: any StoreEngine<State, Action>
    private let encoder: StateEncoder<State>

    init(_ engine: any StoreEngine<State, Action>, selectors: [String: Selector<State>]) {
        self.engine = engine
        encoder = StateEncoder(selectors: selectors)
    }

    func dispatch(
        _ body: JSONValue, _ options: DispatchOptions, done: @escaping @Sendable (DispatchResult) -> Void
    ) {
        do throws(ActionRefusal) {
            if case .array(let batch) = body {
                try dispatch(batch: batch, options, done: done)
            } else {
                submit(try Action.catalogue.action(of: body), options, isBatch: false, done)
            }
        } catch {
            done(.refused(error, index: nil))
        }
    }

    func view() -> any StateView {
        engine.core.contents.withLock { contents in
            HostedView(state: contents.state, revision: contents.revision, encoder: encoder)
        }
    }

    func inspect(_ body: (any StateView) -> Void) {
        engine.core.contents.withLock { contents in
            body(HostedView(state: contents.state, revision: contents.revision, encoder: encoder))
        }
    }

    func watch(_ observer: @escaping @Sendable (any StateView) -> Void) -> Subscription {
        engine.core.subscribers.add { [encoder] commit in
            guard commit.endsBatch else { return }
            observer(HostedView(state: commit.state, revision: commit.revision, encoder: encoder))
        }
    }

    var runningEffects: [String] {
        engine.core.contents.withLock { $0.running.keys.map(\.name).sorted() }
    }

    func end() { engine.core.end() }
}

extension Host {
    private static var batchSize: ActionRefusal {
        .invalidPayload([.init(pointer: .root, detail: "must have 1 to 100 actions")])
    }

    private func dispatch(
        batch: [JSONValue], _ options: DispatchOptions, done: @escaping @Sendable (DispatchResult) -> Void
    ) throws(ActionRefusal) {
        guard (1...100).contains(batch.count) else { throw Self.batchSize }
        var actions: [Action] = []
        actions.reserveCapacity(batch.count)
        for (index, json) in batch.enumerated() {
            do throws(ActionRefusal) {
                actions.append(try Action.catalogue.action(of: json))
            } catch {
                return done(.refused(error.inBatch(at: index), index: index))
            }
        }
        submit(actions[0], then: Array(actions.dropFirst()), options, isBatch: true, done)
    }

    private func submit(
        _ first: Action, then rest: [Action] = [], _ options: DispatchOptions, isBatch: Bool,
        _ done: @escaping @Sendable (DispatchResult) -> Void
    ) {
        let submission = Submission(
            first, then: rest, origin: .client, expectedRevisions: options.expectedRevisions,
            wantsState: options.wantsState)
        engine.submit(submission) { [encoder] receipt, state in
            let view = state.map { HostedView(state: $0, revision: receipt.revision, encoder: encoder) }
            done(Self.result(receipt, view, isBatch: isBatch))
        }
    }

    private static func result(
        _ receipt: Receipt, _ view: (any StateView)?, isBatch: Bool
    ) -> DispatchResult {
        switch receipt.outcome {
        case .committed, .ignored: .done(Dispatched(receipt, view: view))
        case .rejected(let rejection, let index): .rejected(rejection, index: isBatch ? index : nil)
        case .revisionMismatch: .revisionMismatch(current: receipt.revision)
        case .overloaded, .queued: .overloaded
        case .ended: .ended
        }
    }
}

extension ActionRefusal {
    /// The refusal with pointers into the whole batch.
    fileprivate func inBatch(at index: Int) -> ActionRefusal {
        guard case .invalidPayload(let violations) = self else { return self }
        return .invalidPayload(
            violations.map { violation in
                .init(
                    pointer: JSONPointer(tokens: [String(index)] + violation.pointer.tokens),
                    detail: violation.detail)
            })
    }
}
