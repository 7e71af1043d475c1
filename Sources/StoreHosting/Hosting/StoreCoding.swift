public import JSON
public import Stores

/// Hosts the stores of one kind: decodes their actions, and encodes their states.
@usableFromInline
final class StoreCoding<Engine: HostableStore>: Sendable where Engine.State: DiffableState {
    @usableFromInline typealias Contents = StoreCore<Engine.State, Engine.Action>.ContentsPointer

    @usableFromInline let encoder: StateEncoder<Engine.State>
    @usableFromInline let catalogue: ActionSchema<Engine.Action>
    @usableFromInline let names: FaultNames

    @inlinable
    init(_ encoder: StateEncoder<Engine.State>, _ catalogue: ActionSchema<Engine.Action>, _ names: FaultNames) {
        self.encoder = encoder
        self.names = names
        self.catalogue = catalogue
    }

    @inlinable
    func submit(
        _ body: JSONValue, to engine: Engine, _ options: DispatchOptions, makeCompletion: () -> HostedStore.Completion
    ) -> DispatchResult? {
        do throws(ActionDecodingError) {
            if case .array(let batch) = body {
                return try submit(batch: batch, to: engine, options, makeCompletion: makeCompletion)
            }
            let (action, index) = try catalogue.indexedAction(
                of: body, from: options.actor, isRepeated: options.isRepeated)
            return FaultNote.naming(names.type(index)) {
                engine.submit(
                    action,
                    Envelope(
                        .client, details(of: options), by: options.actor, isOfVisitor: options.isOfVisitor),
                    self, options, isBatch: false, makeCompletion: makeCompletion)
            }
        } catch {
            return DispatchResult(refused: error)
        }
    }

    /// Nil for most actions, which have no options.
    @inlinable
    func details(of options: DispatchOptions) -> Envelope<Engine.Action>.Details? {
        guard
            options.isDryRun || options.expectedRevisions != nil || options.trace != nil || options.measuresState
                || options.isWithdrawn != nil || options.tag != nil
        else {
            return nil
        }
        return .init(
            expectedRevisions: options.expectedRevisions, isDryRun: options.isDryRun,
            asksBeforeCommit: options.measuresState, trace: options.trace, isWithdrawn: options.isWithdrawn,
            tag: options.tag)
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
            // Safe: observers are called under the lock that guards the contents, and the contents do not move as long as the
            // store lives.
            nonisolated(unsafe) let place = contents
            return engine.core.subscribe({ [self] in if $0.endsBatch { observer(view(of: place)) } }, contents)
        }
    }

    @usableFromInline
    func attach(_ watcher: any CommitWatcher, to engine: Engine) {
        engine.core.contents.withLock { contents in
            if !contents.pointee.hasEnded { observer(of: contents).watcher = watcher }
        }
    }

    @usableFromInline
    func end(_ engine: Engine) {
        engine.core.end()
        detachWatcher(of: engine)
    }

    @usableFromInline
    func endIfIdle(_ engine: Engine, exceptTimers: Bool, and condition: () -> Bool) -> Bool {
        let hasEnded = engine.core.contents.withLock { _ in
            condition() && engine.core.endIfIdle(exceptTimers: exceptTimers)
        }
        if hasEnded { detachWatcher(of: engine) }
        return hasEnded
    }

    @usableFromInline
    func close(_ engine: Engine, if condition: (borrowing StateView) -> Bool) -> Bool {
        engine.core.contents.withLock { contents in
            guard condition(view(of: contents)) else { return false }
            contents.pointee.hasEnded = true
            return true
        }
    }

    @usableFromInline
    func timerUse(_ engine: Engine) -> TimerUse { engine.core.contents.withLock { $0.pointee.timerUse } }

    /// The watcher may hold the store, so it must not stay.
    private func detachWatcher(of engine: Engine) {
        let watcher = engine.core.contents.withLock { observer(of: $0).watcher.take() }
        // Released outside of the lock.
        withExtendedLifetime(watcher) {}
    }

    @usableFromInline
    func watchEffects(_ engine: Engine, _ observer: @escaping @Sendable (EffectEvent) -> Void) -> Subscription {
        engine.core.watchEffects(observer)
    }

    @usableFromInline
    func runningEffects(_ engine: Engine) -> [String] {
        engine.core.contents.withLock { $0.pointee.pending?.effects.ids.map(\.description).sorted() ?? [] }
    }

    @usableFromInline
    func hasAwaitedEffects(_ engine: Engine, at now: ContinuousClock.Instant) -> Bool {
        engine.core.contents.withLock { $0.pointee.pending?.effects.isAwaited(at: now) ?? false }
    }

    /// Begins with a state that was persisted at `revision`.
    ///
    /// - Parameter json: the state as JSON, if it is known.
    @usableFromInline
    func restore(_ baseline: RestoredBaseline, _ json: [UInt8]?, at revision: Int, in engine: Engine) {
        engine.core.contents.withLock { contents in
            contents.pointee.revision = revision
            observer(of: contents).restore(baseline, json.map { StateEncoding(revision: revision, json: $0) }, contents)
        }
    }

    /// Commits a migration of the state, if there was one.
    @usableFromInline
    func migrate(_ engine: Engine) {
        let environment = engine.core.environment
        engine.core.contents.withLock { contents in
            let observer = observer(of: contents)
            guard observer.hasPendingMigration else { return }
            contents.pointee.revision += 1
            observer.commitMigration(
                contents.pointee.state, as: contents.pointee.revision, at: environment.now)
            engine.core.notifyDispatchEnded(contents)
        }
    }

    /// Commits a migration of the state, if there was one, and then resumes the store.
    @usableFromInline
    func resume(_ engine: Engine, asCopy isCopy: Bool) {
        migrate(engine)
        engine.resume(asCopy: isCopy)
    }

    @usableFromInline
    func identify(_ engine: Engine, as identity: String) {
        engine.core.contents.withLock { observer(of: $0).identity = identity }
    }

    /// The state now, as it is persisted.
    @usableFromInline
    func snapshot(_ engine: Engine) -> (revision: Int, state: StateSnapshot) {
        engine.core.contents.withLock { contents in
            let (state, revision) = (contents.pointee.state, contents.pointee.revision)
            return (revision, observer(of: contents).snapshot(of: state, at: revision))
        }
    }

    /// A view that is valid as long as the store's lock is held.
    @inlinable
    func view(of contents: Contents) -> StateView { observer(of: contents).view(of: contents) }

    /// The observer that ``StoreKind`` gave to the store.
    @inlinable
    func observer(of contents: Contents) -> HostCommitObserver<Engine.State, Engine.Action> {
        // The kind makes every hosted store with this observer, so its absence or another type is a fault of this module.
        guard let observer = contents.pointee.observer else { fatalError("a hosted store has an observer") }
        return unsafeDowncast(observer, to: HostCommitObserver<Engine.State, Engine.Action>.self)
    }
}

extension StoreCoding {
    private static var batchSize: ActionDecodingError {
        .invalidPayload([.init(pointer: .root, detail: "must have 1 to 100 actions")])
    }

    @usableFromInline
    func submit(
        batch: [JSONValue], to engine: Engine, _ options: DispatchOptions, makeCompletion: () -> HostedStore.Completion
    ) throws(ActionDecodingError) -> DispatchResult? {
        guard (1...100).contains(batch.count) else { throw Self.batchSize }
        var actions: [Engine.Action] = []
        actions.reserveCapacity(batch.count)
        for (index, json) in batch.enumerated() {
            do throws(ActionDecodingError) {
                actions.append(try catalogue.action(of: json, from: options.actor))
            } catch {
                return DispatchResult(refused: error.inBatch(at: index), index: index)
            }
        }
        let envelope = Envelope<Engine.Action>(
            .client,
            .init(
                remainingActions: Array(actions.dropFirst()), expectedRevisions: options.expectedRevisions,
                isDryRun: options.isDryRun, asksBeforeCommit: options.measuresState, trace: options.trace,
                isWithdrawn: options.isWithdrawn, tag: options.tag),
            by: options.actor, isOfVisitor: options.isOfVisitor)
        return FaultNote.naming(nil) {
            engine.submit(actions[0], envelope, self, options, isBatch: true, makeCompletion: makeCompletion)
        }
    }

    /// The result of one dispatch.
    ///
    /// - Parameter contents: the contents of the store, whose lock is held; nil if the action did not reach the store.
    @inlinable
    func result(
        _ receipt: Receipt, _ contents: Contents?, _ options: DispatchOptions, isBatch: Bool
    ) -> DispatchResult {
        guard let contents else { return DispatchResult(receipt, isBatch: isBatch) }
        if receipt.followUps != nil { attribute(receipt, options) }
        if options.isOfVisitor { return resultOfVisitor(receipt, contents, options, isBatch: isBatch) }
        return result(receipt, contents, options, options.selection, isBatch: isBatch)
    }

    /// - Parameter selection: the part of the state that it shows; nil for none.
    @inlinable
    func result(
        _ receipt: Receipt, _ contents: Contents, _ options: DispatchOptions, _ selection: Selection?, isBatch: Bool
    ) -> DispatchResult {
        if options.isDryRun { return preview(receipt, selection, contents, isBatch: isBatch) }
        let json = receipt.isDone ? selection.map { view(of: contents).encoded($0) } : nil
        let result = DispatchResult(receipt, isBatch: isBatch, json: json)
        if let record = options.record?(result) { observer(of: contents).set(record) }
        return result
    }

    /// Names the request that has caused the effects. Inside the store, where none of them can have ended yet.
    @usableFromInline
    func attribute(_ receipt: Receipt, _ options: DispatchOptions) {
        if let id = options.requestID { receipt.effectGroup?.requestID = id }
    }

    /// The result of a dry run. The contents hold the state that the action would make, as long as this runs.
    @usableFromInline
    func preview(
        _ receipt: Receipt, _ selection: Selection?, _ contents: Contents, isBatch: Bool
    ) -> DispatchResult {
        guard receipt.isDone else { return DispatchResult(receipt, isBatch: isBatch) }
        let state = contents.pointee.state
        let observer = observer(of: contents)
        guard let patch = observer.previewPatch(to: state) else {
            let rejected = Outcome.rejected(Rejection("not-encodable", isFault: true), index: 0)
            return DispatchResult(Receipt(rejected, revision: receipt.revision), isBatch: isBatch)
        }
        return DispatchResult(
            receipt, isBatch: isBatch,
            json: selection.map { observer.encoded($0, of: state) }, patch: patch)
    }
}

extension Receipt {
    /// Whether the action was committed or ignored.
    @usableFromInline var isDone: Bool {
        switch outcome {
        case .committed, .ignored: true
        default: false
        }
    }
}

extension ActionDecodingError {
    /// A copy of this error with pointers into the whole batch.
    fileprivate func inBatch(at index: Int) -> ActionDecodingError { below(JSONPointer(tokens: [String(index)])) }

    /// A copy of this error with pointers into a document that has the action at a place.
    package func below(_ place: JSONPointer) -> ActionDecodingError {
        guard case .invalidPayload(let violations) = self else { return self }
        return .invalidPayload(
            violations.map { violation in
                .init(pointer: JSONPointer(tokens: place.tokens + violation.pointer.tokens), detail: violation.detail)
            })
    }
}

/// A store that can be hosted: ``Store`` or ``AsyncStore``.
@usableFromInline
protocol HostableStore<State, Action>: AnyObject, Sendable {
    associatedtype State: DiffableState
    associatedtype Action: Sendable

    var core: StoreCore<State, Action> { get }

    /// Runs the effects that the middlewares ask for when a persisted state is resumed.
    ///
    /// - Parameter isCopy: whether the state was copied from another store, which continues with it.
    func resume(asCopy isCopy: Bool)

    /// Has the host make the result inside the store, or outside if the action did not get there.
    ///
    /// - Parameter makeCompletion: makes the completion if the result is not there at once. It is never called inside the store.
    func submit(
        _ action: Action, _ envelope: Envelope<Action>, _ host: StoreCoding<Self>, _ options: DispatchOptions,
        isBatch: Bool, makeCompletion: () -> HostedStore.Completion
    ) -> DispatchResult?
}

extension Store: HostableStore where State: DiffableState {
    @inlinable
    func submit(
        _ action: Action, _ envelope: Envelope<Action>, _ host: StoreCoding<Store>, _ options: DispatchOptions,
        isBatch: Bool, makeCompletion: () -> HostedStore.Completion
    ) -> DispatchResult? {
        var result: DispatchResult?
        let receipt = submit(action, envelope) { result = host.result($0, $1, options, isBatch: isBatch) }
        switch consume result {
        case let result?: return result
        case nil: return host.result(receipt, nil, options, isBatch: isBatch)
        }
    }
}

extension AsyncStore: HostableStore where State: DiffableState {
    @usableFromInline
    func submit(
        _ action: Action, _ envelope: Envelope<Action>, _ host: StoreCoding<AsyncStore>, _ options: DispatchOptions,
        isBatch: Bool, makeCompletion: () -> HostedStore.Completion
    ) -> DispatchResult? {
        let done = makeCompletion()
        submit(QueuedActions(action, envelope)) { receipt, contents in
            let result = host.result(receipt, contents, options, isBatch: isBatch)
            return { done(result) }
        }
        return nil
    }
}
