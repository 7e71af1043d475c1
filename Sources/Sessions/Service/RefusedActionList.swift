import JSON
package import Security
import StoreHosting
import Stores
import Threads

/// Lists the last actions that the session has refused.
package struct RefusedActionList: SessionCommand {
    package init() {
    }
    package var right: Permission? { .read }
    package var usesStore: Bool { false }

    package func perform(on session: Session) -> SessionResult.Content {
        .refusedActions(session.refusedActions.load()?.newestFirst ?? [])
    }
}

extension Session {
    /// Remembers that an action of a permitted sender was refused, for whoever looks for the reason. A dry run is only a question.
    ///
    /// - Parameters:
    ///   - principal: the credentials of the sender.
    ///   - revision: that of the session, if it is known.
    func remember(
        _ failure: SessionFailure, of action: ActionRequest, by principal: Credentials, at revision: Int?
    ) {
        guard !action.isDryRun, let body = action.json else { return }
        let actor = principal.actor(in: self) ?? .anonymous
        refusedActions.load(orStore: RefusedActions())
            .add(RefusedAction(body, failure, of: kind, by: actor, at: revision, now))
    }
}
