extension StoredState {
    /// Why the stores of a kind cannot continue from the state; nil if they can.
    ///
    /// A member that the state lacks is no reason: it gets its initial value.
    package func misfit(_ kind: StoreKind, _ sealer: (any SecretSealer)?) -> String? {
        guard let snapshot = snapshot() else { return "its commits do not fit its snapshot" }
        do {
            _ = try kind.restored(snapshot, sealer: sealer)
            return nil
        } catch {
            return error.description
        }
    }
}
