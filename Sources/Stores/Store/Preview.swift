import Locks

/// The states that an asynchronous reducer shows before it returns one.
///
/// A shown state stands in the place of the committed one until the reducer returns. Nothing else changes the state meanwhile.
final class Preview<State: Sendable, Action: Sendable>: Sendable {
    private let core: StoreCore<State, Action>
    private let envelope: Envelope<Action>
    private let committed: State
    /// The action whose reducer has shown a state; nil if none has. Taken after the lock of the store.
    private let shown = Locked<Action?>(nil)

    /// - Parameter committed: the state before the actions of `envelope`.
    init(of core: StoreCore<State, Action>, _ envelope: Envelope<Action>, _ committed: State) {
        self.core = core
        self.envelope = envelope
        self.committed = committed
    }

    /// Shows a state to whoever reads or observes the store.
    func show(_ state: State, by action: Action) {
        core.contents.withLock { contents in
            // A host sends its clients committed states only.
            guard !envelope.isDryRun, contents.pointee.observer == nil, core.refusal(envelope, contents) == nil else {
                return
            }
            shown.withLock { $0 = action }
            notify(state, by: action, contents)
        }
    }

    /// Puts the committed state back in its place: the next commit is made from it.
    func hide(_ contents: StoreCore<State, Action>.ContentsPointer) {
        if shown.withLock({ $0 != nil }) { contents.pointee.state = committed }
    }

    /// Shows the committed state again, because no other one follows.
    func takeBack(_ contents: StoreCore<State, Action>.ContentsPointer) {
        if let action = shown.withLock(\.self) { notify(committed, by: action, contents) }
    }

    private func notify(_ state: State, by action: Action, _ contents: StoreCore<State, Action>.ContentsPointer) {
        contents.pointee.state = state
        let (revision, origin, actor) = (contents.pointee.revision, envelope.origin, envelope.actor)
        withUnsafePointer(to: action) { action in
            contents.pointee.subscribers?.notify(
                shown: Commit(
                    revision: revision, origin: origin, actor: actor, cause: nil, endsBatch: true, action: action,
                    state: StoreCore<State, Action>.state(in: contents), previous: nil))
        }
    }
}
