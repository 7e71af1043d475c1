import Stores

extension StoreCoding {
    /// The result of an action whose actor may do only what the state allows, also in what it is told.
    ///
    /// - Parameter contents: hold the state after the action, and after a dry run that which it would make.
    @usableFromInline
    func resultOfVisitor(
        _ receipt: Receipt, _ contents: Contents, _ options: DispatchOptions, isBatch: Bool
    ) -> DispatchResult {
        let rights = options.actor.map { view(of: contents).rights(of: $0) } ?? []
        let canRead = rights.contains(.read)
        switch receipt.outcome {
        case .committed, .ignored:
            // A preview shows its patch even if no state is selected.
            if options.isDryRun, !canRead { return DispatchResult(receipt, isBatch: isBatch) }
            return result(receipt, contents, options, canRead ? options.selection : nil, isBatch: isBatch)
        case .rejected(.accessDenied, let index):
            return DispatchResult(forbiddenAt: receipt.revision, canRead: canRead, index: isBatch ? index : nil)
        // The reducer has decided, so the actor might act.
        case .rejected: return result(receipt, contents, options, nil, isBatch: isBatch)
        // Nobody was asked yet.
        case .revisionMismatch, .ended, .queued, .overloaded:
            guard rights.contains(.act) else {
                return DispatchResult(forbiddenAt: receipt.revision, canRead: canRead)
            }
            return result(receipt, contents, options, nil, isBatch: isBatch)
        }
    }
}
