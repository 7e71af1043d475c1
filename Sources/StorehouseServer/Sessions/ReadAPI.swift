import Access
import HTTP
import JSON
import Observability
import StoreHosting
import Stores

/// Shows the state of sessions, now or at an earlier revision, and their action logs.
final class ReadAPI: Sendable {
    private let access: SessionAccess
    private let states: StateReader

    init(_ access: SessionAccess, _ states: StateReader) {
        self.access = access
        self.states = states
    }

    func readState(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.authorizedSession(id, for: .read, context, readState)
    }

    private func readState(_ session: Session, _ context: RequestContext) throws(Problem) {
        let selection = try context.selection(for: session.kind)
        let conditions = try Preconditions(context.head)
        let wanted = context.share == nil ? try context.head.number("revision", in: 0...Int.max) : nil
        guard !session.isLarge else { return readLargeState(selection, of: session, at: wanted, conditions, context) }
        if !conditions.areNone, case let newest = session.store.revision, newest == wanted ?? newest,
            case .known = conditions.outcome(at: session.tag(newest))
        {
            return context.answer(Self.notModified(session.tag(newest)), about: session)
        }
        guard let revision = wanted else {
            let state = session.store.read(selection)
            session.recordSize(ofPart: state.json.count)
            return Self.answer(.init(state), of: session, conditions, context)
        }
        if let state = session.read(selection, ifAt: revision) {
            return Self.answer(.init(state), of: session, conditions, context)
        }
        guard !session.wasLarge else {
            return readLargeState(selection, of: session, at: wanted, conditions, context)
        }
        let deferred = context.deferred
        session.state(at: revision) { found in
            deferred.resume { context throws(Problem) in
                let json = try session.kind.selected(selection, of: try found.get())
                Self.answer(.init(EncodedState(revision: revision, json: json)), of: session, conditions, context)
            }
        }
    }

    private static func answer(
        _ document: StateReader.Document, of session: Session, _ conditions: Preconditions, _ context: RequestContext
    ) {
        let tag = session.tag(document.revision)
        switch conditions.outcome(at: tag) {
        case .hold: context.answer(.document(document.body, revision: tag, fields: fields), about: session)
        case .known: context.answer(notModified(tag), about: session)
        case .mismatch: context.refuse(mismatchAt: document.revision, of: session)
        }
    }

    /// Leaves the event loop, because each step takes time in proportion to the state.
    private func readLargeState(
        _ selection: Selection, of session: Session, at revision: Int?, _ conditions: Preconditions,
        _ context: RequestContext
    ) {
        let deferred = context.deferred
        states.read(selection, of: session, at: revision) { found in
            deferred.resume { context throws(Problem) in
                // It may have waited for a thread.
                if let share = context.share, !share.isValid(in: session) { throw Problem(.share(.unknown)) }
                Self.answer(try found.get(), of: session, conditions, context)
            }
        }
    }

    private static let fields = [Response.Field("Cache-Control", "private, no-cache")]

    private static func notModified(_ revision: RevisionTag) -> Response {
        Response(.notModified, fields: fields, revision: revision)
    }
}

extension StoreKind {
    /// A selected value of an earlier state.
    func selected(_ selection: Selection, of state: StateSnapshot) throws(Problem) -> [UInt8] {
        do {
            return try select(selection, of: state)
        } catch {
            throw Problem(.stored(.unrestorable(error)))
        }
    }
}

// Action logs.
extension ReadAPI {
    /// The action log, oldest first, a page at a time.
    func readActions(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.authorizedSession(id, for: .read, context, readActions)
    }

    private func readActions(_ session: Session, _ context: RequestContext) throws(Problem) {
        let after = try context.head.number("after", in: 0...Int.max) ?? 0
        let limit = try context.head.pageSize()
        guard let journal = session.journal else {
            throw Problem(.stored(.noActions))
        }
        let deferred = context.deferred
        session.whenDurable { [self] failure in
            if let failure { return deferred.answer { session.problem(failure).response } }
            fill(ActionLogPage(after: after, limit: limit), of: session, from: journal, deferred)
        }
    }

    /// Reads commits in portions, since a page may end long before its limit, and answers with the page.
    private func fill(
        _ page: ActionLogPage, of session: Session, from journal: any SessionJournal,
        _ deferred: RequestContext.Deferred
    ) {
        let count = page.nextCount
        journal.commits(after: page.lastRevision, limit: count) { [self] found in
            var page = page
            do throws(JournalError) {
                if try page.append(found.get(), of: count) { return fill(page, of: session, from: journal, deferred) }
            } catch {
                return deferred.answer { session.problem(error).response }
            }
            guard !page.isGone else {
                return Problem.revisionGone(journal, { .goneActions(oldest: $0) }) { problem in
                    deferred.answer { problem.response }
                }
            }
            let full = page
            deferred.resume { context throws(Problem) in
                context.answer(Self.response(full, to: context.head), about: session)
            }
        }
    }

    private static func response(_ page: ActionLogPage, to head: RequestHead) -> Response {
        var fields = [Response.Field("Cache-Control", "no-store")]
        if let next = page.next {
            // The same request with another start, whatever else is in its query (RFC 8288).
            let query = head.query.replacing("after", with: "\(next)")
            fields.append(.init("Link", "<\(head.path.raw)?\(query)>; rel=\"next\""))
        }
        return .document(page.json, fields: fields)
    }
}
