import JSON
import Locks
import StoreHosting

/// Lists the last actions that the session has refused.
package struct RefusedActionList: SessionCommand {
    package init() {
    }
    package var usesStore: Bool { false }

    package func perform(on session: Session) -> SessionResult.Content {
        .refusedActions(session.refusedActions.load()?.newestFirst ?? [])
    }
}

extension Session {
    /// Remembers that an action of a permitted sender was refused, for whoever looks for the reason. A dry run is only a question.
    ///
    /// - Parameter revision: that of the session, if it is known.
    func remember(_ failure: SessionFailure, of action: ActionRequest, at revision: Int?) {
        guard !action.isDryRun, let body = action.json else { return }
        refusedActions.load(orStore: RefusedActions())
            .add(RefusedAction(body, failure, of: kind, at: revision, now))
    }
}
