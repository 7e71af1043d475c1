import JSON
import Observation
import StoreHosting
import Stores

extension RemoteStore: ClientCoreOwner {
    func read(_ changed: ChangedPlaces) throws {
        guard let json = core.ledger.confirmed.value else { return }
        if !changed.isEmpty { try replay.update { try model.update(&$0, json, changed) } }
        isRead = true
    }

    func show() {
        let (old, ledger) = (replay.shown, core.ledger)
        let effects = replayed(ledger)
        let new = zip(ledger.entries, effects).map { ShownEntry(entry: $0, effect: $1) }
        let isSame = new.elementsEqual(shownEntries) { $0.isSame(as: $1) }
        if isSame, !isRead { return }
        if isRead || new.predicted != shownEntries.predicted { tell(of: old) }
        if !isSame { registrar.withMutation(of: self, keyPath: paths.pending) { shownEntries = new } }
        isRead = false
        onChange?()
    }

    /// Shows one more entry, which costs the less the more are pending already.
    func show(added entry: Entry, _ coded: [RemoteModel<State>.Action]) {
        let old = replay.shown
        let effect = core.isOwnVersion ? replay.add(coded) : .none
        if effect == .predicted { tell(of: old) }
        registrar.withMutation(of: self, keyPath: paths.pending) {
            shownEntries.append(ShownEntry(entry: entry, effect: effect))
        }
        onChange?()
    }

    private func replayed(_ ledger: Ledger) -> [ReplayEffect] {
        let canPredict = core.isOwnVersion
        return replay.replay(
            ledger.entries.lazy.map { canPredict && !ledger.contains($0) ? self.prepared($0) : [] })
    }

    /// The actions of an entry, which may come from the disk.
    private func prepared(_ entry: Entry) -> [RemoteModel<State>.Action] {
        if let known = actions[entry.key] { return known }
        let (actor, now) = (core.guessedActor, core.wallTime)
        let read = entry.actions.map { model.action($0, actor, now) }
        actions[entry.key] = read
        return read
    }

    private func tell(of old: State) {
        let new = replay.shown
        let changed = followed.values.filter { $0.hasChanged(old, new) }
        registrar.willSet(self, keyPath: paths.state)
        registrar.willSet(self, keyPath: paths.confirmed)
        for member in changed { member.willChange(self, registrar) }
        for member in changed { member.didChange(self, registrar) }
        registrar.didSet(self, keyPath: paths.confirmed)
        registrar.didSet(self, keyPath: paths.state)
        if replay.hasState { broadcast.send(new) }
    }

    func stored(_ keys: [Int]) {
        for key in keys { handles[key]?.store() }
    }

    func left(_ entry: Entry, _ error: (any Error)?) {
        actions[entry.key] = nil
        let refusal = error == nil ? entry.result.flatMap { ActionRejected($0) } : nil
        if let refusal {
            registrar.withMutation(of: self, keyPath: paths.refusals) {
                shownRefusals = (shownRefusals + [refusal]).suffix(Self.mostRefusals)
            }
        }
        let isLive = core.connection.status == .live
        handles.left(entry, error, hearsEffects: core.options.hearsEffects && isLive)
        onLeft?(
            LeftEntry(
                key: entry.key, outcome: entry.outcome(error), revision: entry.result?.revision, refusal: refusal))
    }

    func heard(_ event: StreamEvent) {
        guard event.type == "effect", let phase = event.data["phase"]?.asString,
            let cause = event.data["cause"]?.asInteger
        else { return }
        handles.heardEffect(phase: phase, cause: cause)
    }

    func connected(_ connection: RemoteConnection) {
        registrar.withMutation(of: self, keyPath: paths.connection) {}
        if connection.status != .live { handles.loseEffects() }
        if case .ended = connection.status {
            broadcast.finish()
            handles.idle()
        }
        onChange?()
    }

    func settled() {
        if core.isLoaded, core.ledger.entries.isEmpty { handles.idle() }
    }

    func report(_ report: RemoteReport) { onReport?(report) }
}
