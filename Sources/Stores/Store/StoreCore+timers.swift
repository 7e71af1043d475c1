/// How the timers of a store use it.
@usableFromInline
package struct TimerUse: Sendable, Equatable {
    /// When the next timer fires, in milliseconds since 1970; nil if none does.
    package let nextDeadline: Int?
    /// When a timer fired last, by `StoreEnvironment.steadyNow`; nil if none did since the store was made.
    package let lastFiring: Int?
}

// The timers of the state. Everything here happens under the store's lock.
extension StoreCore.Contents {
    /// When the next timer is due, in milliseconds since 1970; nil if none is set.
    @usableFromInline package var nextDeadline: Int? {
        guard let timers = pending?.timers, !timers.isEmpty else { return nil }
        return timers.compactMap(\.nextDeadline).min()
    }

    @usableFromInline package var timerUse: TimerUse {
        TimerUse(nextDeadline: nextDeadline, lastFiring: lastFiring == 0 ? nil : lastFiring)
    }
}

extension StoreCore {
    @usableFromInline
    func arm(
        _ timers: [StateTimer<Action>], of key: EffectKey, cause: Int, _ contents: ContentsPointer,
        _ sink: some ActionSink<Action>
    ) {
        let known = contents.pointee.madePendingWork.timers.firstIndex { $0.key == key }
        if known == nil, timers.isEmpty { return }
        if known == nil { contents.pointee.madePendingWork.timers.append(TimerGroup(key: key)) }
        let place = known ?? contents.pointee.madePendingWork.timers.count - 1
        contents.pointee.madePendingWork.timers[place].setTimers(timers)
        contents.pointee.madePendingWork.timers[place].allowRetry()
        arm(place, cause: cause, contents, sink)
    }

    /// Arms the next timer of a group, unless it is armed already.
    private func arm(_ place: Int, cause: Int, _ contents: ContentsPointer, _ sink: some ActionSink<Action>) {
        let group = contents.pointee.madePendingWork.timers[place]
        let next = group.next
        if let armed = group.armed {
            if armed.timer.key == next?.key { return }
            if let (ended, _) = contents.pointee.madePendingWork.effects.end(armed.runID) {
                contents.pointee.madePendingWork.postLockWork.ended.append(ended)
            }
            contents.pointee.madePendingWork.timers[place].disarm()
        }
        guard let next else { return }
        let runID = contents.pointee.madePendingWork.effects.nextRunID()
        let submission = QueuedActions(
            next.action, origin: .effect, .init(cause: cause, effectRunID: runID, endsEffect: true))
        let task = environment.startTask {
            [weak sink, clock = environment.clock] in
            guard await clock.sleepUntil(next.deadline) else { return }
            sink?.submit(submission)
        }
        contents.pointee.madePendingWork.effects.add(
            RunningEffect(key: next.key.effect, runID: runID, policy: nil, task: task))
        contents.pointee.madePendingWork.timers[place].arm(next, runID)
    }

    /// Arms timers again whose action was refused: there may be room for it.
    @usableFromInline
    func retryTimers(_ contents: ContentsPointer, _ sink: some ActionSink<Action>) {
        guard let work = contents.pointee.pending else { return }
        for place in work.timers.indices where work.timers[place].allowRetry() {
            arm(place, cause: contents.pointee.revision, contents, sink)
        }
    }

    /// Arms the next timer of the group whose timer has fired.
    @usableFromInline
    func fire(_ runID: Int, _ contents: ContentsPointer, _ sink: some ActionSink<Action>) {
        guard let place = contents.pointee.madePendingWork.timers.firstIndex(where: { $0.armed?.runID == runID })
        else { return }
        contents.pointee.madePendingWork.timers[place].markFired()
        contents.pointee.lastFiring = environment.steadyNow()
        arm(place, cause: contents.pointee.revision, contents, sink)
    }
}
