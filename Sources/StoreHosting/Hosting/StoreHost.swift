public import JSON
public import Stores

/// Hosts the stores of one kind: decodes actions by its catalogue, encodes states for whoever asks.
@usableFromInline
struct StoreHost<Engine: HostableStore>: Sendable where Engine.State: HostedState, Engine.Action: DeclaredAction {
    @usableFromInline let encoder: StateEncoder<Engine.State>
    @usableFromInline let catalogue: ActionSchema<Engine.Action>

    @inlinable
    init(_ encoder: StateEncoder<Engine.State>, _ catalogue: ActionSchema<Engine.Action>) {
        self.encoder = encoder
        self.catalogue = catalogue
    }

    @inlinable
    func dispatch(
        _ body: JSONValue, to engine: Engine, _ options: DispatchOptions,
        done: @escaping @Sendable (DispatchResult) -> Void
    ) {
        do throws(ActionDecodingError) {
            if case .array(let batch) = body {
                try dispatch(batch: batch, to: engine, options, done: done)
            } else {
                let action = try catalogue.action(of: body)
                submit(action, Envelope(.client, details(of: options)), to: engine, options, isBatch: false, done)
            }
        } catch {
            done(.refused(error, index: nil))
        }
    }

    /// Nil where the action comes with nothing: most do.
    @inlinable
    func details(of options: DispatchOptions) -> Envelope<Engine.Action>.Details? {
        guard options.isDryRun || options.expectedRevisions != nil || options.keep != nil || options.trace != nil else {
            return nil
        }
        return .init(
            expectedRevisions: options.expectedRevisions, isDryRun: options.isDryRun,
            keepsAnswer: options.keep != nil, trace: options.trace)
    }

    @inlinable
    func inspect(_ engine: Engine, _ body: (borrowing StateView) -> Void) {
        engine.core.contents.withLock { contents in
            body(view(of: contents))
        }
    }

    @usableFromInline
    func watch(
        _ engine: Engine, _ observer: @escaping @Sendable (borrowing StateView) -> Void
    ) -> Subscription {
        engine.core.contents.withLock { contents in
            // Unsafe only by name: who watches is told inside the store, under the lock that guards the contents, which stand
            // where they stand now as long as the store lives.
            nonisolated(unsafe) let place = contents
            return engine.core.subscribe({ if $0.endsBatch { observer(view(of: place)) } }, contents)
        }
    }

    @usableFromInline
    func watchEffects(_ engine: Engine, _ observer: @escaping @Sendable (EffectEvent) -> Void) -> Subscription {
        engine.core.watchEffects(observer)
    }

    @usableFromInline
    func runningEffects(_ engine: Engine) -> [String] {
        engine.core.contents.withLock { $0.pointee.pending?.effects.ids.map(\.name).sorted() ?? [] }
    }

    /// Begins as the state that was kept, at the revision that it had.
    ///
    /// - Parameter arrival: nil where the state is just what was kept.
    @inlinable
    func place(
        _ state: Engine.State, at revision: Int, in engine: Engine, _ arrival: PendingMigration?,
        _ sealer: (any SecretSealer)?
    ) {
        engine.core.contents.withLock { contents in
            let trail = encoder.trail(from: state, sealer)
            trail.arrival = arrival
            contents.pointee.revision = revision
            contents.pointee.trail = trail
        }
    }

    /// Goes on from the state that was kept: what was migrated is committed first.
    @usableFromInline
    func resume(_ engine: Engine) {
        let environment = engine.core.environment
        engine.core.contents.withLock { contents in
            guard let trail = contents.pointee.trail, let arrival = trail.arrival else { return }
            trail.arrival = nil
            contents.pointee.revision += 1
            let revision = contents.pointee.revision
            let record = arrival.record(
                encoder.kept(contents.pointee.state, at: revision, trail, trail.sealer), schema: encoder.schema,
                revision: revision, at: environment.clock.now())
            trail.note(record, endsBatch: true)
            arrival.recorder?.append(record, view(of: contents))
        }
        engine.resume()
    }

    /// The state now, as it is kept.
    @usableFromInline
    func kept(_ engine: Engine) -> (revision: Int, state: StateSnapshot) {
        engine.core.contents.withLock { contents in
            let (state, revision, trail) = (contents.pointee.state, contents.pointee.revision, contents.pointee.trail)
            return (revision, encoder.kept(state, at: revision, trail, trail?.sealer))
        }
    }

    /// A view that is good as long as the store's lock is held.
    @inlinable
    func view(of contents: StoreCore<Engine.State, Engine.Action>.ContentsPointer) -> StateView {
        StateView(revision: contents.pointee.revision, commits: contents.pointee.trail?.commits ?? []) { selection in
            encoder.encode(selection, of: contents.pointee.state, at: contents.pointee.revision, contents.pointee.trail)
        }
    }

    /// Finds what a commit has changed, and hands it on.
    @inlinable
    func record(
        _ commit: borrowing Commit<Engine.State, Engine.Action>, _ endsUnit: Bool,
        _ contents: StoreCore<Engine.State, Engine.Action>.ContentsPointer, _ environment: StoreEnvironment,
        _ recorder: (any CommitRecorder)?, _ sealer: (any SecretSealer)?
    ) {
        let trail = contents.pointee.trail ?? encoder.newTrail(sealer)
        contents.pointee.trail = trail
        let (changes, hidden) = encoder.changes(in: contents.pointee.state, since: trail, sealer)
        let record = CommitRecord(
            commit, at: environment.clock.now(), changes: changes, hidden: hidden, endsUnit: endsUnit)
        trail.note(record, endsBatch: commit.endsBatch)
        recorder?.append(record, view(of: contents))
    }
}

extension StoreHost {
    private static var batchSize: ActionDecodingError {
        .invalidPayload([.init(pointer: .root, detail: "must have 1 to 100 actions")])
    }

    @usableFromInline
    func dispatch(
        batch: [JSONValue], to engine: Engine, _ options: DispatchOptions,
        done: @escaping @Sendable (DispatchResult) -> Void
    ) throws(ActionDecodingError) {
        guard (1...100).contains(batch.count) else { throw Self.batchSize }
        var actions: [Engine.Action] = []
        actions.reserveCapacity(batch.count)
        for (index, json) in batch.enumerated() {
            do throws(ActionDecodingError) {
                actions.append(try catalogue.action(of: json))
            } catch {
                return done(.refused(error.inBatch(at: index), index: index))
            }
        }
        let envelope = Envelope<Engine.Action>(
            .client,
            .init(
                rest: Array(actions.dropFirst()), expectedRevisions: options.expectedRevisions,
                isDryRun: options.isDryRun, keepsAnswer: options.keep != nil, trace: options.trace))
        submit(actions[0], envelope, to: engine, options, isBatch: true, done)
    }

    @inlinable
    func submit(
        _ action: Engine.Action, _ envelope: Envelope<Engine.Action>, to engine: Engine, _ options: DispatchOptions,
        isBatch: Bool, _ done: @escaping @Sendable (DispatchResult) -> Void
    ) {
        let selection = options.selection
        let isDryRun = options.isDryRun
        let keep = options.keep
        engine.submit(
            action, envelope,
            answer: { receipt, contents in
                guard receipt.isDone, let contents else {
                    let result = DispatchResult(receipt, nil, isBatch: isBatch)
                    if contents != nil { keep?(result) }
                    return result
                }
                guard !isDryRun else { return outlook(receipt, selection, contents) }
                let result = DispatchResult(
                    receipt, selection.map { view(of: contents).encoded($0) }, isBatch: isBatch)
                keep?(result)
                return result
            }, done: done)
    }

    /// What would have come of an action, which the contents show as long as this runs.
    @usableFromInline
    func outlook(
        _ receipt: Receipt, _ selection: Selection?, _ contents: StoreCore<Engine.State, Engine.Action>.ContentsPointer
    ) -> DispatchResult {
        let (state, revision) = (contents.pointee.state, contents.pointee.revision)
        let trail = contents.pointee.trail ?? encoder.newTrail(nil)
        // Encoded as the state of the revision that there would be, and not kept.
        let json = selection.map { encoder.encode($0, of: state, at: revision + 1, nil) }
        return .done(Dispatched(receipt, json, trail.outlook(on: state)))
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
            case .committed, .ignored: .done(Dispatched(receipt, json, nil))
            case .rejected(let rejection, let index): .rejected(rejection, index: isBatch ? index : nil)
            case .revisionMismatch: .revisionMismatch(current: receipt.revision)
            case .overloaded, .queued: .overloaded
            case .ended: .ended
            }
    }
}

extension ActionDecodingError {
    /// The refusal with pointers into the whole batch.
    fileprivate func inBatch(at index: Int) -> ActionDecodingError {
        guard case .invalidPayload(let violations) = self else { return self }
        return .invalidPayload(
            violations.map { violation in
                .init(
                    pointer: JSONPointer(tokens: [String(index)] + violation.pointer.tokens),
                    detail: violation.detail)
            })
    }
}

/// What hosts a state behind JSON: a store that reduces at once, or one that takes its time.
@usableFromInline
protocol HostableStore<State, Action>: AnyObject, Sendable {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    var core: StoreCore<State, Action> { get }

    /// Does what the middlewares ask for when a state goes on.
    func resume()

    /// Calls `answer` inside the store with what came of it and the contents of that moment, where it came to that, and
    /// `done` outside with what that said.
    func submit<Answer: Sendable>(
        _ action: Action, _ envelope: Envelope<Action>,
        answer: @escaping @Sendable (Receipt, StoreCore<State, Action>.ContentsPointer?) -> Answer,
        done: @escaping @Sendable (Answer) -> Void)
}

extension Store: HostableStore {
    @inlinable
    func submit<Answer: Sendable>(
        _ action: Action, _ envelope: Envelope<Action>,
        answer: @escaping @Sendable (Receipt, StoreCore<State, Action>.ContentsPointer?) -> Answer,
        done: @escaping @Sendable (Answer) -> Void
    ) {
        var found: Answer?
        let receipt = submit(action, envelope) { receipt, contents in found = answer(receipt, contents) }
        done(found ?? answer(receipt, nil))
    }
}

extension AsyncStore: HostableStore {
    @usableFromInline
    func submit<Answer: Sendable>(
        _ action: Action, _ envelope: Envelope<Action>,
        answer: @escaping @Sendable (Receipt, StoreCore<State, Action>.ContentsPointer?) -> Answer,
        done: @escaping @Sendable (Answer) -> Void
    ) {
        submit(QueuedActions(action, envelope)) { receipt, contents in
            let answer = answer(receipt, contents)
            return { done(answer) }
        }
    }
}
