// Effects that end before their time. Everything here happens under the store's lock.
extension StoreCore {
    /// Cancels the effects and timers of parts that the committed state no longer has.
    @inlinable
    @inline(never)
    package func endMissingParts(endsBatch: Bool, _ contents: ContentsPointer, _ sink: some ActionSink<Action>) {
        guard let work = contents.pointee.pending, work.hasRemovableParts else { return }
        endMissingParts(of: work, endsBatch: endsBatch, contents, sink)
    }

    @usableFromInline
    func endMissingParts(
        of work: PendingWork<Action>, endsBatch: Bool, _ contents: ContentsPointer, _ sink: some ActionSink<Action>
    ) {
        work.defersEffectEvents = !endsBatch
        func isGone(_ path: EffectPath) -> Bool { middleware.isGone(path, in: contents.pointee.state) }
        cancel(contents, sink) { isGone($0.key.path) }
        for place in work.timers.indices.reversed() where isGone(work.timers[place].key.path) {
            if let armed = work.timers[place].armed, let (ended, _) = work.effects.end(armed.runID) {
                work.postLockWork.ended.append(ended)
            }
            work.timers.remove(at: place)
        }
    }

    /// Cancels the effects with this name, in whichever part.
    func cancelEffects(named id: EffectID, _ sink: some ActionSink<Action>) {
        cancel(sink, "cancel(id:)") { $0.key.id == id }
    }

    /// Cancels the effects of a group. What they still send is not reduced.
    func cancelEffects(of group: EffectGroup, _ sink: some ActionSink<Action>) {
        group.cancel()
        cancel(sink, "Receipt.cancel()") { effect in effect.groups.contains { $0 === group } }
    }

    /// - Parameter call: the method that was called from outside.
    private func cancel(
        _ sink: some ActionSink<Action>, _ call: StaticString, where isMeant: (RunningEffect) -> Bool
    ) {
        let postLockWork: PostLockWork = contents.withLock(call) { contents in
            guard !contents.pointee.hasEnded, contents.pointee.pending != nil else { return PostLockWork() }
            cancel(contents, sink, where: isMeant)
            // The call came from inside: the work is done with that of the current action.
            return contents.pointee.isBusy ? PostLockWork() : takePostLockWork(contents)
        }
        postLockWork.perform()
    }

    /// Cancels effects, and starts those that were queued behind them.
    private func cancel(
        _ contents: ContentsPointer, _ sink: some ActionSink<Action>, where isMeant: (RunningEffect) -> Bool
    ) {
        let ended = ending(contents) { work in
            var ended: [RunningEffect] = []
            work.effects.take(&ended, where: isMeant)
            work.postLockWork.ended += ended
            return ended
        }
        for effect in ended {
            guard let next = contents.pointee.madePendingWork.effects.next(behind: effect) else { continue }
            notifyAfterBatch(.started, start(next, contents, sink), contents)
        }
    }
}
