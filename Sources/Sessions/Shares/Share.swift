import JSON
import Observability
package import Security
package import StoreHosting
import Stores

/// A permit that a client carries as a sealed text, so that it can use a part of a session without knowing its id.
///
/// The text has the id of its row among the ``SessionPermits``, which have the terms. Earlier releases stored nothing of a share but how
/// often the shares of the session were revoked: the text of such a share has the terms itself.
package final class Share: Permit {
    /// The permissions that a share can have.
    package static let permissions: [Permission] = [.read, .act, .presence]
    /// How long it is valid, in seconds.
    package static let lifetimes = 1...2_592_000
    package static let usualLifetime = 3600
    /// The length of the longest selection, in bytes.
    package static let maxSelectionBytes = 4096

    /// Where the terms are.
    package enum Form: Sendable {
        /// In the row with this id.
        case stored(id: String)
        /// In the text.
        case sealed(PermitTerms)
    }

    package let session: SessionID
    package let form: Form
    /// In milliseconds since 1970.
    package let expiresAt: Int

    package init(_ session: SessionID, _ form: Form, expiresAt: Int) {
        self.session = session
        self.form = form
        self.expiresAt = expiresAt
    }

    /// The share whose terms are stored.
    package convenience init(_ session: SessionID, _ terms: PermitTerms) {
        self.init(session, .stored(id: terms.id), expiresAt: terms.expiresAt)
    }

    /// The terms, as long as it has not expired and is not revoked, and its maker may share.
    package func terms(in session: Session) -> PermitTerms? {
        guard expiresAt > session.now else { return nil }
        switch form {
        case .stored(let id):
            guard let terms = session.permits[id], terms.expiresAt > session.now else { return nil }
            return terms
        case .sealed(let terms): return terms.generation == session.permits.generation ? terms : nil
        }
    }
}

extension Share {
    package func isAmong(_ permits: FinalPermits) -> Bool {
        switch form {
        case .stored(let id): permits.contains(id)
        case .sealed(let terms): terms.generation == permits.generation
        }
    }

    package func narrow(
        _ operation: SessionOperation, of session: Session
    ) throws(SessionFailure) -> SessionOperation {
        guard let terms = terms(in: session) else { throw .permit(.unknown) }
        switch operation {
        case .read(var reading):
            reading.selection = try terms.narrow(reading.selection, session.kind)
            return .read(reading)
        case .subscribe(var wanted):
            wanted.selection = try terms.narrow(wanted.selection, session.kind)
            wanted.isByPermit = true
            if wanted.shows.contains(.presence) { try require(.presence, in: session) }
            return .subscribe(wanted)
        case .dispatch(let action):
            var key = action.key
            // Another client of the session may use the same key, and see more in its answers.
            key?.belongs(to: terms.nameOfHolder)
            let selection = try action.selection.map { text throws(SessionFailure) in
                try terms.narrow(text, session.kind)
            }
            return .dispatch(action.with(selection: selection, key: key, hidesEffects: true))
        case .sync(let sync): return .sync(sync.hidingEffects())
        case .perform(let command) where command.isForPermits:
            // Its route asks for another permission, if it needs two.
            if let right = command.right { try require(right, in: session) }
            return operation
        case .describe, .log, .fork, .end, .recall, .run, .perform: throw .permit(.unknown)
        }
    }
}

extension PermitTerms {
    /// Names whoever holds the permit, among all clients of the session: the actor, or the permit itself if that is nobody.
    ///
    /// Two permits of an actor that show other parts have other names: an answer that is given again shows the part of the first one.
    fileprivate var nameOfHolder: String {
        guard let holder else { return id }
        return selection.isEmpty ? holder.id.text : "\(holder.id.text)\n\(Fingerprint.of(selection))"
    }

    /// The selection within what the permit shows.
    fileprivate func narrow(_ text: SelectionText, _ kind: StoreKind) throws(SessionFailure) -> SelectionText {
        if selection.isEmpty { return text }
        // Selectors of the kind would show more than the permit.
        guard case .text(let text) = text, let shown = try? Selection(selection, of: kind) else {
            throw .permit(.unknown)
        }
        do throws(JSONPointerError) {
            return .resolved(shown.appending(try JSONPointer(text)))
        } catch {
            throw .selection(.pointerIntoPart(error))
        }
    }
}
