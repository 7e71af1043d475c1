import JSON
import StoreHosting
package import Stores

// A view of an actor: the value that a selector has for one reader.
//
// Everything that compares selections tells the readers apart. A client sends revisions and ids of events back, though, and so that
// what one reader has says nothing about another, a view of an actor counts its revisions in a history of its own, which names the reader.

extension SelectionText {
    /// The selection for a client of a session.
    func selection(in session: Session, by principal: Credentials) throws(SessionFailure) -> Selection {
        let selection = try selection(of: session.kind)
        guard case .named(let name, let pointer) = selection, session.kind.hasPersonalSelector(name) else {
            return selection
        }
        return .personal(name, at: pointer, for: principal.reader(in: session))
    }
}

extension Credentials {
    /// Whoever reads with them.
    fileprivate func reader(in session: Session) -> Actor { actor(in: session) ?? .anonymous }
}

extension StoreKind {
    fileprivate func hasPersonalSelector(_ name: String) -> Bool {
        selectors.contains { $0.dependsOnActor && Subject($0.name) == Subject(name) }
    }
}

extension Session {
    /// The history in which a selection counts revisions; nil for that of the session.
    func history(of selection: Selection) -> String? { selection.reader.map(history(of:)) }

    /// Whether a history is that of the session, or of an actor's views of it.
    package func counts(in history: some StringProtocol) -> Bool { PersonalHistory.isWithin(history, of: historyID) }

    /// The history in which the views of an actor count revisions.
    package func history(of reader: Actor) -> String { historyID + PersonalHistory.mark(of: reader) }
}
