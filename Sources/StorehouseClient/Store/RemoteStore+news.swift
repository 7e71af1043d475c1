import JSON
import Observation
import StoreHosting
import Stores

extension RemoteStore: ClientCoreOwner {
    func read(_ touched: Confirmed.Touched) throws {
        guard let json = core.ledger.confirmed.value else { return }
        switch touched {
        case .all: try replay.update { try model.update(&$0, json, nil) }
        case .members(let names) where !names.isEmpty: try replay.update { try model.update(&$0, json, names) }
        case .members: break
        }
        isRead = true
    }

    func show() {
        let (old, ledger) = (replay.shown, core.ledger)
        let effects = replayed(ledger)
        let isSame = zip(shownPending, ledger.entries).enumerated().allSatisfy { $1.0.isSame(as: $1.1, effects[$0]) }
        if isSame, shownPending.count == ledger.entries.count, !isRead { return }
        if isRead || shownPending.predicted() != ledger.predicted(effects) { tell(of: old) }
        if !isSame || shownPending.count != ledger.entries.count {
            registrar.withMutation(of: self, keyPath: \.pending) {
                shownPending = zip(ledger.entries, effects).map { PendingAction($0, prepared($0), $1) }
            }
        }
        isRead = false
        onChange?()
    }

    /// Shows one more entry, which costs the less the more are pending already.
    func show(added entry: Entry, _ coded: [RemoteModel<State>.Action]) {
        let old = replay.shown
        let effect = core.isOwnVersion ? replay.add(coded) : .none
        if effect == .predicted { tell(of: old) }
        registrar.withMutation(of: self, keyPath: \.pending) {
            shownPending.append(PendingAction(entry, coded, effect))
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
        registrar.willSet(self, keyPath: \.state)
        registrar.willSet(self, keyPath: \.confirmed)
        for member in changed { member.willChange(self, registrar) }
        for member in changed { member.didChange(self, registrar) }
        registrar.didSet(self, keyPath: \.confirmed)
        registrar.didSet(self, keyPath: \.state)
        if replay.hasState { broadcast.send(new) }
    }

    func stored(_ keys: [Int]) {
        for key in keys { handles[key]?.store() }
    }

    func left(_ entry: Entry, _ error: (any Error)?) {
        actions[entry.key] = nil
        let refusal = error == nil ? entry.result.flatMap { ActionRejected($0) } : nil
        if let refusal {
            registrar.withMutation(of: self, keyPath: \.refusals) {
                shownRefusals = (shownRefusals + [refusal]).suffix(Self.mostRefusals)
            }
        }
        let isLive = core.connection.status == .live
        handles.left(entry, error, hearsEffects: core.options.hearsEffects && isLive)
        onLeft?(
            LeftEntry(
                key: entry.key, outcome: entry.outcome(error), revision: entry.result?.revision, refusal: refusal))
        if core.ledger.entries.isEmpty { handles.idle() }
    }

    func heard(_ event: StreamEvent) {
        guard event.type == "effect", let phase = event.data["phase"]?.asString,
            let cause = event.data["cause"]?.asInteger
        else { return }
        handles.heardEffect(phase: phase, cause: cause)
    }

    func connected(_ connection: RemoteConnection) {
        registrar.withMutation(of: self, keyPath: \.connection) {}
        if connection.status != .live { handles.loseEffects() }
        if case .ended = connection.status {
            broadcast.finish()
            handles.idle()
        }
        onChange?()
    }

    func report(_ report: ClientReport) { onReport?(report) }
}

extension Ledger {
    /// The keys of the entries that are in the shown state.
    fileprivate func predicted(_ effects: [ReplayEffect]) -> [Int] {
        zip(entries, effects).filter { $1 == .predicted }.map(\.0.key)
    }
}

extension Array {
    /// The keys of the entries that are in the shown state.
    fileprivate func predicted<State>() -> [Int] where Element == PendingAction<State> {
        filter(\.isPredicted).map(\.key)
    }
}
