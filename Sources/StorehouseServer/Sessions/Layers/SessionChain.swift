/// The handlers that a request to a session passes, the outermost first. Its type has their names, so that the compiler makes one
/// function of them.
typealias SessionChain = ShareView<RequestAdmission<Idempotency<Waiting<LargeStates<Durability<SessionService>>>>>>

/// The handlers that a request for a new session passes, the outermost first.
typealias CreationChain = CreationAdmission<Durability<SessionService>>
