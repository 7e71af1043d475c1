public import JSON
public import Locks

/// Hosts one store: decodes actions by the kind's catalogue, encodes the state once for each revision.
@usableFromInline
final class Host<Engine: StoreEngine>: Sendable where Engine.State: HostedState, Engine.Action: CataloguedAction {
    @usableFromInline let engine: Engine
    @usableFromInline let encoder: StateEncoder<Engine.State>

    @inlinable
    init(_ engine: Engine, _ encoder: StateEncoder<Engine.State>) {
        self.engine = engine
        self.encoder = encoder
    }

    @inlinable
    func dispatch(
        _ body: JSONValue, _ options: DispatchOptions, done: @escaping @Sendable (DispatchResult) -> Void
    ) {
        do throws(ActionRefusal) {
            if case .array(let batch) = body {
                try dispatch(batch: batch, options, done: done)
            } else {
                submit(try Engine.Action.catalogue.action(of: body), options, isBatch: false, done)
            }
        } catch {
            done(.refused(error, index: nil))
        }
    }

    @inlinable
    func inspect(_ body: (borrowing StateView) -> Void) {
        engine.core.contents.withLock { contents in
            body(
                StateView(revision: contents.pointee.revision) { [encoder] selection in
                    encoder.encode(selection, of: contents.pointee.state, at: contents.pointee.revision)
                })
        }
    }

    @usableFromInline
    func watch(_ observer: @escaping @Sendable (borrowing StateView) -> Void) -> Subscription {
        engine.core.subscribers.add { [encoder] commit in
            guard commit.endsBatch else { return }
            let (place, revision) = (commit.statePlace, commit.revision)
            observer(
                StateView(revision: revision) { encoder.encode($0, of: place.pointee, at: revision) })
        }
    }

    @usableFromInline var runningEffects: [String] {
        engine.core.contents.withLock { $0.pointee.effects.ids.map(\.name).sorted() }
    }

    @usableFromInline
    func end() { engine.core.end() }
}

extension Host {
    private static var batchSize: ActionRefusal {
        .invalidPayload([.init(pointer: .root, detail: "must have 1 to 100 actions")])
    }

    @usableFromInline
    func dispatch(
        batch: [JSONValue], _ options: DispatchOptions, done: @escaping @Sendable (DispatchResult) -> Void
    ) throws(ActionRefusal) {
        guard (1...100).contains(batch.count) else { throw Self.batchSize }
        var actions: [Engine.Action] = []
        actions.reserveCapacity(batch.count)
        for (index, json) in batch.enumerated() {
            do throws(ActionRefusal) {
                actions.append(try Engine.Action.catalogue.action(of: json))
            } catch {
                return done(.refused(error.inBatch(at: index), index: index))
            }
        }
        submit(actions[0], then: Array(actions.dropFirst()), options, isBatch: true, done)
    }

    @inlinable
    func submit(
        _ first: Engine.Action, then rest: [Engine.Action] = [], _ options: DispatchOptions, isBatch: Bool,
        _ done: @escaping @Sendable (DispatchResult) -> Void
    ) {
        let submission = Submission(
            first, then: rest, origin: .client, expectedRevisions: options.expectedRevisions)
        engine.submit(
            submission,
            answer: { [encoder, selection = options.selection] receipt, state in
                var json: [UInt8]?
                if receipt.isDone, let selection, let state {
                    json = encoder.encode(selection, of: state, at: receipt.revision)
                }
                return DispatchResult(receipt, json, isBatch: isBatch)
            }, done: done)
    }
}

extension Receipt {
    /// Whether the action was committed or ignored.
    @usableFromInline var isDone: Bool { outcome == .committed || outcome == .ignored }
}

extension DispatchResult {
    @usableFromInline
    init(_ receipt: Receipt, _ json: [UInt8]?, isBatch: Bool) {
        self =
            switch receipt.outcome {
            case .committed, .ignored: .done(Dispatched(receipt, json))
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
