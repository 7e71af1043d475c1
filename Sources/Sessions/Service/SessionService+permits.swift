import JSON
import StoreHosting

// Actions by permits.
extension SessionService {
    /// Requires that a permit allows the actions of a request, before the store has to do with them.
    ///
    /// - Returns: the use of the permit; nil if the client has none.
    func permitUse(
        of action: ActionRequest, _ json: JSONValue, in session: Session, by principal: Credentials
    ) throws(SessionFailure) -> PermitUse? {
        guard case .permit(let permit) = principal else { return nil }
        guard let terms = permit.terms(in: session) else { throw .permit(.unknown) }
        if terms.actions != nil, let failure = Self.refusal(of: json, terms) {
            session.remember(failure, of: action, by: principal, at: nil)
            throw failure
        }
        return PermitUse(permit, session)
    }

    /// What is no action is refused as such later.
    private static func refusal(of body: JSONValue, _ terms: PermitTerms) -> SessionFailure? {
        let batch = body.asArray
        for (index, action) in (batch ?? [body]).enumerated() {
            if let type = action["type"]?.asString, !terms.allows(type) {
                return .forbidden(.action(type, index: batch == nil ? nil : index))
            }
        }
        return nil
    }
}

extension Credentials {
    /// Whether they are a permit that may not be used any more.
    func isRevoked(in session: Session) -> Bool {
        if case .permit(let permit) = self { !permit.isValid(in: session) } else { false }
    }
}
