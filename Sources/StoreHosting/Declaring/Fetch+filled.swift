public import RemoteServices

// One initializer for each number of fields that the server fills at the beginning of an action. The others are disfavored, so that the
// compiler chooses one of these unless the functions of a fetch are written for `Filled`.
extension Fetch {
    /// A call after an action with a field that the server fills.
    public init<A>(
        _ name: String, on trigger: Action<State, Filled<A>>, from service: RemoteService,
        at pointer: String = "", as type: Output.Type, _ policy: EffectPolicy? = nil,
        id: (@Sendable (A) -> String)? = nil, retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State, A) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [A])? = nil
    ) where Values == Filled<A> {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: { id?($0.value) },
                request: { request($0, $1.value) }, then: { then(&$0, $1.value, $2, $3) },
                failed: { failed?(&$0, $1.value, $2, $3) }, waiting: { (waiting?($0) ?? []).map { Filled($0) } },
                isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with two fields, the first of which the server fills.
    public init<A, B>(
        _ name: String, on trigger: Action<State, (Filled<A>, B)>, from service: RemoteService,
        at pointer: String = "", as type: Output.Type, _ policy: EffectPolicy? = nil,
        id: (@Sendable (A, B) -> String)? = nil, retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State, A, B) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B)])? = nil
    ) where Values == (Filled<A>, B) {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: { id?($0.0.value, $0.1) },
                request: { request($0, $1.0.value, $1.1) }, then: { then(&$0, $1.0.value, $1.1, $2, $3) },
                failed: { failed?(&$0, $1.0.value, $1.1, $2, $3) },
                waiting: { (waiting?($0) ?? []).map { (Filled($0.0), $0.1) } },
                isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with two fields that the server fills.
    public init<A, B>(
        _ name: String, on trigger: Action<State, (Filled<A>, Filled<B>)>, from service: RemoteService,
        at pointer: String = "", as type: Output.Type, _ policy: EffectPolicy? = nil,
        id: (@Sendable (A, B) -> String)? = nil, retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State, A, B) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B)])? = nil
    ) where Values == (Filled<A>, Filled<B>) {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: { id?($0.0.value, $0.1.value) },
                request: { request($0, $1.0.value, $1.1.value) }, then: { then(&$0, $1.0.value, $1.1.value, $2, $3) },
                failed: { failed?(&$0, $1.0.value, $1.1.value, $2, $3) },
                waiting: { (waiting?($0) ?? []).map { (Filled($0.0), Filled($0.1)) } },
                isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with three fields, the first of which the server fills.
    public init<A, B, C>(
        _ name: String, on trigger: Action<State, (Filled<A>, B, C)>, from service: RemoteService,
        at pointer: String = "", as type: Output.Type, _ policy: EffectPolicy? = nil,
        id: (@Sendable (A, B, C) -> String)? = nil, retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State, A, B, C) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, C, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, C, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B, C)])? = nil
    ) where Values == (Filled<A>, B, C) {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: { id?($0.0.value, $0.1, $0.2) },
                request: { request($0, $1.0.value, $1.1, $1.2) }, then: { then(&$0, $1.0.value, $1.1, $1.2, $2, $3) },
                failed: { failed?(&$0, $1.0.value, $1.1, $1.2, $2, $3) },
                waiting: { (waiting?($0) ?? []).map { (Filled($0.0), $0.1, $0.2) } },
                isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with three fields, the first two of which the server fills.
    public init<A, B, C>(
        _ name: String, on trigger: Action<State, (Filled<A>, Filled<B>, C)>, from service: RemoteService,
        at pointer: String = "", as type: Output.Type, _ policy: EffectPolicy? = nil,
        id: (@Sendable (A, B, C) -> String)? = nil, retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State, A, B, C) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, C, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, C, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B, C)])? = nil
    ) where Values == (Filled<A>, Filled<B>, C) {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: { id?($0.0.value, $0.1.value, $0.2) },
                request: { request($0, $1.0.value, $1.1.value, $1.2) },
                then: { then(&$0, $1.0.value, $1.1.value, $1.2, $2, $3) },
                failed: { failed?(&$0, $1.0.value, $1.1.value, $1.2, $2, $3) },
                waiting: { (waiting?($0) ?? []).map { (Filled($0.0), Filled($0.1), $0.2) } },
                isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with three fields that the server fills.
    public init<A, B, C>(
        _ name: String, on trigger: Action<State, (Filled<A>, Filled<B>, Filled<C>)>, from service: RemoteService,
        at pointer: String = "", as type: Output.Type, _ policy: EffectPolicy? = nil,
        id: (@Sendable (A, B, C) -> String)? = nil, retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State, A, B, C) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, C, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, C, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B, C)])? = nil
    ) where Values == (Filled<A>, Filled<B>, Filled<C>) {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: { id?($0.0.value, $0.1.value, $0.2.value) },
                request: { request($0, $1.0.value, $1.1.value, $1.2.value) },
                then: { then(&$0, $1.0.value, $1.1.value, $1.2.value, $2, $3) },
                failed: { failed?(&$0, $1.0.value, $1.1.value, $1.2.value, $2, $3) },
                waiting: { (waiting?($0) ?? []).map { (Filled($0.0), Filled($0.1), Filled($0.2)) } },
                isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with four fields, the first of which the server fills.
    public init<A, B, C, D>(
        _ name: String, on trigger: Action<State, (Filled<A>, B, C, D)>, from service: RemoteService,
        at pointer: String = "", as type: Output.Type, _ policy: EffectPolicy? = nil,
        id: (@Sendable (A, B, C, D) -> String)? = nil, retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State, A, B, C, D) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, C, D, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, C, D, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B, C, D)])? = nil
    ) where Values == (Filled<A>, B, C, D) {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: { id?($0.0.value, $0.1, $0.2, $0.3) },
                request: { request($0, $1.0.value, $1.1, $1.2, $1.3) },
                then: { then(&$0, $1.0.value, $1.1, $1.2, $1.3, $2, $3) },
                failed: { failed?(&$0, $1.0.value, $1.1, $1.2, $1.3, $2, $3) },
                waiting: { (waiting?($0) ?? []).map { (Filled($0.0), $0.1, $0.2, $0.3) } },
                isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with four fields, the first two of which the server fills.
    public init<A, B, C, D>(
        _ name: String, on trigger: Action<State, (Filled<A>, Filled<B>, C, D)>, from service: RemoteService,
        at pointer: String = "", as type: Output.Type, _ policy: EffectPolicy? = nil,
        id: (@Sendable (A, B, C, D) -> String)? = nil, retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State, A, B, C, D) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, C, D, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, C, D, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B, C, D)])? = nil
    ) where Values == (Filled<A>, Filled<B>, C, D) {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: { id?($0.0.value, $0.1.value, $0.2, $0.3) },
                request: { request($0, $1.0.value, $1.1.value, $1.2, $1.3) },
                then: { then(&$0, $1.0.value, $1.1.value, $1.2, $1.3, $2, $3) },
                failed: { failed?(&$0, $1.0.value, $1.1.value, $1.2, $1.3, $2, $3) },
                waiting: { (waiting?($0) ?? []).map { (Filled($0.0), Filled($0.1), $0.2, $0.3) } },
                isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with four fields, the first three of which the server fills.
    public init<A, B, C, D>(
        _ name: String, on trigger: Action<State, (Filled<A>, Filled<B>, Filled<C>, D)>, from service: RemoteService,
        at pointer: String = "", as type: Output.Type, _ policy: EffectPolicy? = nil,
        id: (@Sendable (A, B, C, D) -> String)? = nil, retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State, A, B, C, D) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, C, D, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, C, D, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B, C, D)])? = nil
    ) where Values == (Filled<A>, Filled<B>, Filled<C>, D) {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: { id?($0.0.value, $0.1.value, $0.2.value, $0.3) },
                request: { request($0, $1.0.value, $1.1.value, $1.2.value, $1.3) },
                then: { then(&$0, $1.0.value, $1.1.value, $1.2.value, $1.3, $2, $3) },
                failed: { failed?(&$0, $1.0.value, $1.1.value, $1.2.value, $1.3, $2, $3) },
                waiting: { (waiting?($0) ?? []).map { (Filled($0.0), Filled($0.1), Filled($0.2), $0.3) } },
                isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with four fields that the server fills.
    public init<A, B, C, D>(
        _ name: String, on trigger: Action<State, (Filled<A>, Filled<B>, Filled<C>, Filled<D>)>,
        from service: RemoteService,
        at pointer: String = "", as type: Output.Type, _ policy: EffectPolicy? = nil,
        id: (@Sendable (A, B, C, D) -> String)? = nil, retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State, A, B, C, D) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, C, D, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, C, D, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B, C, D)])? = nil
    ) where Values == (Filled<A>, Filled<B>, Filled<C>, Filled<D>) {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry,
                id: { id?($0.0.value, $0.1.value, $0.2.value, $0.3.value) },
                request: { request($0, $1.0.value, $1.1.value, $1.2.value, $1.3.value) },
                then: { then(&$0, $1.0.value, $1.1.value, $1.2.value, $1.3.value, $2, $3) },
                failed: { failed?(&$0, $1.0.value, $1.1.value, $1.2.value, $1.3.value, $2, $3) },
                waiting: { (waiting?($0) ?? []).map { (Filled($0.0), Filled($0.1), Filled($0.2), Filled($0.3)) } },
                isSilent: failed != nil && waiting == nil))
    }
}
