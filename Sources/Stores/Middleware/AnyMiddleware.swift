/// A middleware with its type erased, as a store calls it. ``AnyReducer`` explains why it exists.
public final class AnyMiddleware<State: Sendable, Action: Sendable>: Middleware {
    @usableFromInline package typealias Respond = @Sendable (borrowing Commit<State, Action>) -> Effect<Action>
    @usableFromInline package typealias Intercept = @Sendable (Action, State, ActionContext) -> Interception<Action>
    @usableFromInline package typealias IsGone = @Sendable (ArraySlice<PathStep>, State) -> Bool
    @usableFromInline package typealias Look = @Sendable (ArraySlice<PathStep>, State, inout ElementLook) -> Void
    @usableFromInline package typealias Check = @Sendable (ArraySlice<PathStep>, CollectionVersion) -> VersionCheck?

    /// The effects of a commit, without its timers.
    @usableFromInline package let answer: Respond
    /// The effects of a commit and its timers.
    @usableFromInline package let respondFunction: Respond
    /// The effects of a restored state, without its timers.
    @usableFromInline package let resumeAnswer: @Sendable (State) -> Effect<Action>
    @usableFromInline package let resumeFunction: @Sendable (State) -> Effect<Action>
    /// Nil if it is no interceptor.
    @usableFromInline package let interceptFunction: Intercept?
    /// Whether a path leads into a part of this middleware that the state no longer has; nil if it has no such parts.
    @usableFromInline package let isGone: IsGone?
    /// Looks at the elements of the collection that a way leads to; nil if it has no such parts.
    @usableFromInline package let look: Look?
    /// Makes a quick check of the version of the collection that a way leads to; nil if it can make none.
    @usableFromInline package let check: Check?
    @usableFromInline package let timers: [TimerSource<State, Action>]
    /// Whether it never starts an effect. It is then called for actions only that are committed.
    @usableFromInline package let onlyWatches: Bool
    /// The places in composed reducers that lead to the reducer which has this middleware: see ``Reducer/with(_:)``.
    @usableFromInline package let reducerPath: [Int]
    public let readsPreviousState: Bool

    @usableFromInline
    package init(
        respond answer: @escaping Respond = { _ in .none },
        resume: @escaping @Sendable (State) -> Effect<Action> = { _ in .none }, intercept: Intercept? = nil,
        isGone: IsGone? = nil, look: Look? = nil, check: Check? = nil, timers: [TimerSource<State, Action>] = [],
        onlyWatches: Bool = false,
        reducerPath: [Int] = [], readsPreviousState: Bool = false
    ) {
        self.answer = answer
        resumeAnswer = resume
        interceptFunction = intercept
        self.isGone = isGone
        self.look = look
        self.check = check
        self.timers = timers
        self.onlyWatches = onlyWatches
        self.reducerPath = reducerPath
        self.readsPreviousState = readsPreviousState
        guard !timers.isEmpty else {
            respondFunction = answer
            resumeFunction = resume
            return
        }
        respondFunction = { commit in
            Effect(timers.reduce(into: answer(commit).steps ?? []) { $0.append($1.step(commit.state)) })
        }
        resumeFunction = { state in
            Effect(timers.reduce(into: resume(state).steps ?? []) { $0.append($1.step(state)) })
        }
    }

    /// A middleware that answers each commit by `respond`.
    @inlinable
    package convenience init(_ respond: @escaping @Sendable (borrowing Commit<State, Action>) -> Effect<Action>) {
        self.init(respond: respond)
    }

    /// Erases the type of `middleware`.
    @inlinable
    package convenience init(_ middleware: some Middleware<State, Action>) {
        var intercept: Intercept?
        if let interceptor = middleware as? any Interceptor<State, Action> {
            intercept = { action, state, _ in interceptor.intercept(action, in: state) }
        }
        self.init(
            respond: { commit in middleware.respond(to: commit) }, resume: { state in middleware.resume(from: state) },
            intercept: intercept, readsPreviousState: middleware.readsPreviousState)
    }

    @inlinable
    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> { respondFunction(commit) }

    @inlinable
    public func resume(_ state: State) -> Effect<Action> { resumeFunction(state) }

    @inlinable public var prepared: AnyMiddleware { self }

    /// A copy of this middleware whose reducer is in this place of a composed reducer.
    @usableFromInline
    func inPart(_ place: Int) -> AnyMiddleware {
        AnyMiddleware(
            respond: answer, resume: resumeAnswer, intercept: interceptFunction, isGone: isGone, look: look,
            check: check,
            timers: timers, onlyWatches: onlyWatches, reducerPath: [place] + reducerPath,
            readsPreviousState: readsPreviousState)
    }

    /// The effects and the timers of a commit; the timers only, if its reducer ignored the action.
    @inlinable
    package func respond(
        to commit: borrowing Commit<State, Action>, _ abstentions: Abstentions
    ) -> Effect<Action> {
        guard !abstentions.isEmpty, abstentions.contain(reducerPath) else { return respondFunction(commit) }
        return onlyTimers(of: commit.state)
    }

    @usableFromInline
    func onlyTimers(of state: State) -> Effect<Action> {
        timers.isEmpty ? .none : Effect(timers.map { $0.step(state) })
    }
}

/// The middlewares of a store. Any number of stores may share one stack.
@usableFromInline
package final class MiddlewareStack<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline package let all: [AnyMiddleware<State, Action>]
    @usableFromInline package let responders: UnretainedArray<AnyMiddleware<State, Action>>
    @usableFromInline package let interceptors: [AnyMiddleware<State, Action>.Intercept]
    @usableFromInline package let readsPreviousState: Bool
    /// Whether something happens before an action is reduced.
    @usableFromInline package let precedesReducer: Bool
    /// Whether a state lets an actor act; nil if no state does, unless it need not be asked.
    private let access: Access?
    private let haveParts: [AnyMiddleware<State, Action>]
    /// The groups of timers, of which a store needs each once.
    @usableFromInline package let timerGroups: [EffectKey]

    @usableFromInline package typealias Access = @Sendable (Actor, UnsafePointer<State>) -> Bool

    /// The middlewares of a reducer, then the middlewares of the store.
    @usableFromInline
    package init(
        _ own: [AnyMiddleware<State, Action>], _ middleware: [any Middleware<State, Action>], access: Access? = nil
    ) {
        self.access = access
        let all = own + middleware.map { $0.prepared }
        self.all = all
        responders = UnretainedArray(all)
        interceptors = all.compactMap(\.interceptFunction)
        readsPreviousState = all.contains { $0.readsPreviousState }
        precedesReducer = !interceptors.isEmpty || readsPreviousState
        haveParts = all.filter { $0.isGone != nil }
        timerGroups = all.flatMap { $0.timers.map(\.group) }
    }

    /// Why the sender may not act in a state, which decides that; nil if it may.
    @usableFromInline
    package func refusal(of context: ActionContext, in state: UnsafePointer<State>) -> Rejection? {
        access?(context.actor, state) == true ? nil : .accessDenied
    }

    /// Looks at all parts, and takes the parts that the state no longer has.
    func takeGone(from parts: inout LiveParts, in state: State) -> Set<EffectPath> {
        parts.takeGone(
            isGone: { isGone($0, in: state) },
            look: { way, look in
                for middleware in haveParts { middleware.look?(way[...], state, &look) }
            },
            check: { way, version in
                haveParts.lazy.compactMap { $0.check?(way[...], version) }.first
            })
    }

    /// Whether the state no longer has the part that `path` leads to.
    func isGone(_ path: EffectPath, in state: State) -> Bool {
        path.mayEnd && haveParts.contains { $0.isGone?(path.steps[...], state) == true }
    }
}
