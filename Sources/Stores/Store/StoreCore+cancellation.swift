// Effects that end before their time. Everything here happens under the store's lock.
extension StoreCore {
    /// Cancels the effects of parts that the committed state no longer has. Their timers end when they are read from the state.
    @inlinable
    @inline(never)
    package func endMissingParts(endsBatch: Bool, _ contents: ContentsPointer, _ sink: some ActionSink<Action>) {
        guard let work = contents.pointee.pending, !work.effects.parts.isEmpty else { return }
        endMissingParts(of: work, endsBatch: endsBatch, contents, sink)
    }

    @usableFromInline
    func endMissingParts(
        of work: PendingWork<Action>, endsBatch: Bool, _ contents: ContentsPointer, _ sink: some ActionSink<Action>
    ) {
        work.defersEffectEvents = !endsBatch
        work.effects.forgetUnusedParts()
        if work.effects.parts.areUnchanged(in: Self.state(in: contents)) { return }
        cancel(contents, sink) { effects, ended in
            effects.takeMissing(&ended) { middleware.takeGone(from: &$0, in: contents.pointee.state) }
        }
    }

    /// Cancels the effects with this name, in whichever part.
    func cancelEffects(named id: EffectID, _ sink: some ActionSink<Action>) {
        cancel(sink, "cancel(id:)") { $0.key.id == id }
    }

    /// Cancels the effects of a group. What they still send is not reduced.
    func cancelEffects(of group: EffectGroup, _ sink: some ActionSink<Action>) {
        group.cancel()
        cancel(sink, "Receipt.cancel()") { effect in effect.group === group }
    }

    /// - Parameter call: the method that was called from outside.
    private func cancel(
        _ sink: some ActionSink<Action>, _ call: StaticString, where isMeant: (RunningEffect) -> Bool
    ) {
        let postLockWork: PostLockWork = contents.withLock(call) { contents in
            guard !contents.pointee.hasEnded, contents.pointee.pending != nil else { return PostLockWork() }
            cancel(contents, sink) { $0.take(&$1, where: isMeant) }
            // The call came from inside: the work is done with that of the current action.
            return contents.pointee.isBusy ? PostLockWork() : takePostLockWork(contents)
        }
        postLockWork.perform()
    }

    /// Cancels the effects that `take` takes, and starts those that were queued behind them.
    private func cancel(
        _ contents: ContentsPointer, _ sink: some ActionSink<Action>,
        _ take: (inout EffectTable<Action>, inout [RunningEffect]) -> Void
    ) {
        let ended = ending(contents) { work in
            var ended: [RunningEffect] = []
            take(&work.effects, &ended)
            work.postLockWork.ended += ended
            return ended
        }
        for effect in ended {
            guard let next = contents.pointee.madePendingWork.effects.next(behind: effect) else { continue }
            notifyAfterBatch(.started, start(next, contents, sink), contents)
        }
        if !ended.isEmpty { retryTimers(contents, sink) }
    }
}
