package import JSON
package import Security
package import StoreHosting
import Stores

/// Why a session does not do what a request asks. It knows no HTTP: ``Problem`` tells it to clients.
package enum SessionFailure: Error, Sendable {
    case unavailable(Unavailable)
    case absent(Absent)
    case forbidden(Forbidden)
    case permit(PermitRefusal)
    case invalid([JSONSchema.Violation], Body)
    case selection(SelectionFault)
    /// The body is no JSON.
    case notJSON(JSONSyntaxError)
    case stored(Stored)
    case action(Action)
    case key(Key)
    case stream(Stream)
    case client(Client)
    /// The session has left this object while it was used: look it up again. No client sees it.
    case detached

    /// A sentence that tells operators, not clients, how to mend the failure; nil where there is no general advice.
    package var remedy: String? {
        guard case .stored(.unrestorable(let error)) = self else { return nil }
        return error.remedy
    }

    /// The server cannot do it now.
    package enum Unavailable: Sendable {
        case draining
        case storage(JournalError)
        /// The clock of this machine differs from the shared one, as the text says.
        case clock(String)
        /// The node that has the session does not answer.
        case ownerSilent
        /// The session may belong to another node by now.
        case ownerUncertain
        /// Another node has asked this one, which does not have the session.
        case notHere
        /// The times are in seconds.
        case memory(retryAfter: Int)
        case sessions(retryAfter: Int)
        case rate(Rate, retryAfter: Int)
        case threads, connections, output
        /// Too many reads of the session's stored commits wait.
        case reads
        /// More actions wait for the session than may.
        case actions
    }

    /// The things that a rate limit counts.
    package enum Rate: Sendable { case requests, sessions, actions, signals }

    /// There is no such session or store.
    package enum Absent: Sendable {
        case session
        /// `/sessions/me` of a server without tokens.
        case personal
        /// The client expects a session that it would create.
        case expected
        case ended
        /// It has ended since the request has found it.
        case endedMeanwhile
        /// It has ended before the action of the request.
        case endedBeforeAction
        /// The session with the id of the client is of this store.
        case otherStore(String)
        case store(known: [String])
    }

    package enum Forbidden: Sendable {
        case token(lacks: Permission)
        case permit(lacks: Permission)
        /// The permit does not allow actions of this type. The index is that of the action in its batch.
        case action(String, index: Int?)
        /// The maker of a permit does not have this role.
        case role(String)
        /// The token does not list the store.
        case store
        /// The token is for some stores only.
        case allStores
        /// The session, if there is one, belongs to another subject, and its state does not let this one read.
        case session
        /// The state of the session lets the actor read, and not do this. The index is that of the action in its batch.
        case state(lacks: Permission, index: Int? = nil)
    }

    package enum PermitRefusal: Sendable {
        case unknown
        /// No permit has the id.
        case unknownID
        /// The session has as many as it may. The time is in seconds.
        case tooMany(retryAfter: Int)
        /// There is no library to seal it.
        case unsealed
    }

    /// A body that breaks its schema.
    package enum Body: Sendable {
        /// The name of a store for the example.
        case creation(store: String)
        case fork
        /// A permit that a client wants.
        case permit
        /// A permit with too long a selection.
        case longPermit
        case signal
        case sync
    }

    /// The selection is no pointer.
    package enum SelectionFault: Sendable {
        /// And none of the named selectors.
        case pointer(JSONPointerError, selectors: [String])
        /// And it should point into the part that a permit shows.
        case pointerIntoPart(JSONPointerError)
    }

    /// The stored part of the session lacks what the request asks for.
    package enum Stored: Sendable {
        case laterRevision(newest: Int)
        case goneRevision(oldest: Int)
        case goneActions(oldest: Int)
        case noEarlierStates, noActions
        /// The commits up to a revision do not fit together.
        case contradiction
        case unrestorable(RestorationError)
        /// The session is of a store that this server does not host.
        case otherStore(String)
    }

    /// The index is that of the action in its batch.
    package enum Action: Sendable {
        case refused(ActionDecodingError, index: Int?)
        /// The revision is that at which the reducer has decided. The case is boxed, so that no other failure gets longer.
        indirect case rejected(reason: String, index: Int?, revision: Int, history: String)
        case mismatch(revision: Int, history: String)
    }

    /// An Idempotency-Key.
    package enum Key: Sendable {
        case inProgress, mismatch
        /// The first answer can no longer be read.
        case unreadable
        /// The time is in seconds.
        case tooMany(retryAfter: Int)
    }

    /// The record of a client does not allow it. Nothing was run.
    package enum Client: Sendable {
        /// There is none.
        case forgotten
        /// Another entry has the number, or its outcome is not kept any more. The outcomes of these numbers are kept.
        case conflict(from: Int, through: Int)
        /// The session has as many records as it may. The time is in seconds.
        case tooMany(retryAfter: Int)
    }

    /// There are as many as there may be.
    package enum Stream: Sendable {
        case tooMany(limit: Int)
        case tooManyViews(limit: Int)
        case tooManyActorViews(limit: Int, each: Int)
    }
}
