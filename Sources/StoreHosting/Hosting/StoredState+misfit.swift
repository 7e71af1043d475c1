extension StoredState {
    /// Why the stores of a kind cannot continue from the state; nil if they can.
    ///
    /// A member that the state lacks is no reason: it gets its initial value.
    package func misfit(_ kind: StoreKind, _ sealer: (any SecretSealer)?) -> Misfit? {
        guard let snapshot = snapshot() else {
            return Misfit(detail: "its commits do not fit its snapshot", isOfNewerProgram: false)
        }
        do {
            _ = try kind.restored(snapshot, sealer: sealer)
            return nil
        } catch {
            var isOfNewerProgram = false
            if case .newerSchema = error { isOfNewerProgram = true }
            return Misfit(detail: error.description, isOfNewerProgram: isOfNewerProgram)
        }
    }

    /// Why a state cannot be continued from.
    package struct Misfit: Sendable {
        package let detail: String
        /// Whether a newer program has written it, so that no migration of this one helps.
        package let isOfNewerProgram: Bool
    }
}
