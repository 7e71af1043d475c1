// Middleware composes where reducers do: on a property, an optional, a case and the elements of a collection.
extension Middleware {
    /// This middleware, applied to a property of the state and to the actions nested in one case.
    ///
    /// Its effects belong to the property: an effect of the same name in another property is another effect.
    @inlinable
    public func scoped<ParentState: Sendable, ParentAction: Sendable>(
        _ state: any KeyPath<ParentState, State> & Sendable, _ action: CasePath<ParentAction, Action>
    ) -> AnyMiddleware<ParentState, ParentAction> {
        AnyMiddleware(
            of: prepared, at: PathStep(to: state), mayEnd: false, offset: MemoryLayout<ParentState>.offset(of: state),
            action
        ) {
            $0[keyPath: state]
        }
    }

    /// This middleware, applied to an optional state. While the state is nil, it sees nothing.
    ///
    /// When the state becomes nil, its effects and timers are cancelled. A state with an id (`Identifiable`) that gets another
    /// id counts as a new state.
    @inlinable
    public func ifPresent() -> AnyMiddleware<State?, Action> {
        AnyMiddleware(of: prepared, at: .wrapped, mayEnd: true, .whole) { $0 }
    }

    /// This middleware, applied to the payload of one case of an enumeration. In any other case it sees nothing.
    ///
    /// When the state changes to another case, its effects and timers are cancelled. A payload with an id (`Identifiable`) that
    /// gets another id counts as a new payload.
    @inlinable
    public func ifCase<ParentState: Sendable, ParentAction: Sendable>(
        _ state: CasePath<ParentState, State>, _ action: CasePath<ParentAction, Action>
    ) -> AnyMiddleware<ParentState, ParentAction> {
        ifCase(state, action, number: PathStep.nextCaseNumber())
    }

    /// - Parameter number: the same for all middlewares of one case.
    @inlinable
    package func ifCase<ParentState: Sendable, ParentAction: Sendable>(
        _ state: CasePath<ParentState, State>, _ action: CasePath<ParentAction, Action>, number: Int
    ) -> AnyMiddleware<ParentState, ParentAction> {
        AnyMiddleware(of: prepared, at: .payload(number), mayEnd: true, action) { state.value(in: $0) }
    }

    /// This middleware, applied to each element of a collection. It sees only actions of elements that the collection
    /// contains.
    ///
    /// When an element is removed, its effects and timers are cancelled. The key of an element of an array is its index, which
    /// another element may take over: give such elements an id (`Identifiable`), or use an ``EntityTable``.
    ///
    /// - Parameter elements: the type of the collection.
    @inlinable
    public func forEach<Elements: KeyedElements & Sendable>(
        _ elements: Elements.Type = Elements.self
    ) -> AnyMiddleware<Elements, ElementAction<Elements.Key, Action>> where Elements.Value == State {
        AnyMiddleware(ofEach: prepared)
    }
}

extension AnyMiddleware {
    /// The middleware of one part.
    ///
    /// - Parameters:
    ///   - place: the step to the part.
    ///   - mayEnd: whether the part may be removed from the state.
    ///   - offset: that of a part which is a stored property.
    ///   - action: the case of its actions.
    ///   - read: the part; nil if there is none.
    @inlinable
    package convenience init<Part: Sendable, PartAction: Sendable>(
        of part: AnyMiddleware<Part, PartAction>, at place: PathStep, mayEnd: Bool, offset: Int? = nil,
        _ action: CasePath<Action, PartAction>, read: @escaping @Sendable (State) -> Part?
    ) {
        let embed = action.embed
        let step: @Sendable (Part) -> PathStep = { mayEnd ? place.holding($0) : place }
        self.init(
            respond: { (commit: borrowing Commit<State, Action>) in
                // `matches` is cheap, and most commits belong to other parts.
                guard commit.isAction(action), let nested = action.value(in: commit.action),
                    let value = read(commit.state)
                else { return .none }
                let previous = commit.previousPlace.flatMap { read($0.pointee) }
                return commit.narrowed(to: value, nested, previous: previous) {
                    part.answer($0).embedded(in: step(value), embed)
                }
            },
            resume: { state in
                guard let value = read(state) else { return .none }
                return part.resumeAnswer(value).embedded(in: step(value), embed)
            },
            intercept: Self.intercept(part, action, read),
            isGone: part.isGone != nil || mayEnd ? Self.isGone(part, place, step, read) : nil,
            look: part.look != nil || mayEnd ? Self.look(part, place, mayEnd ? step : nil, read) : nil,
            check: offset.flatMap { Self.check(part, place, offset: $0) },
            timers: part.timers.map { source in
                TimerSource(group: source.group.embedded(in: place)) { state in
                    guard let value = read(state) else { return [] }
                    return source.timers(value).map { $0.embedded(in: step(value), embed) }
                }
            },
            onlyWatches: part.onlyWatches, reducerPath: part.reducerPath,
            readsPreviousState: part.readsPreviousState)
    }

    @inlinable
    static func intercept<Part: Sendable, PartAction: Sendable>(
        _ part: AnyMiddleware<Part, PartAction>, _ action: CasePath<Action, PartAction>,
        _ read: @escaping @Sendable (State) -> Part?
    ) -> Intercept? {
        guard let interceptPart = part.interceptFunction else { return nil }
        let embed = action.embed
        return { whole, state, context in
            guard let nested = action.value(in: whole), let value = read(state) else { return .pass }
            return interceptPart(nested, value, context).map(embed)
        }
    }

    @inlinable
    static func isGone<Part: Sendable, PartAction: Sendable>(
        _ part: AnyMiddleware<Part, PartAction>, _ place: PathStep, _ step: @escaping @Sendable (Part) -> PathStep,
        _ read: @escaping @Sendable (State) -> Part?
    ) -> IsGone {
        { path, state in
            guard let first = path.first, first.isInPlace(of: place) else { return false }
            guard let value = read(state), step(value) == first else { return true }
            return part.isGone?(path.dropFirst(), value) ?? false
        }
    }

    /// - Parameter step: the step to a part that may be removed from the state; nil for one that stays.
    @inlinable
    static func look<Part: Sendable, PartAction: Sendable>(
        _ part: AnyMiddleware<Part, PartAction>, _ place: PathStep, _ step: (@Sendable (Part) -> PathStep)?,
        _ read: @escaping @Sendable (State) -> Part?
    ) -> Look {
        { way, state, look in
            guard let first = way.first, first.isInPlace(of: place) else { return }
            guard let value = read(state), step.map({ $0(value) == first }) ?? true else { return look.removeAll() }
            part.look?(way.dropFirst(), value, &look)
        }
    }

    @inlinable
    static func check<Part: Sendable, PartAction: Sendable>(
        _ part: AnyMiddleware<Part, PartAction>, _ place: PathStep, offset: Int
    ) -> Check? {
        guard let checkPart = part.check else { return nil }
        return { way, version in
            guard let first = way.first, first.isInPlace(of: place) else { return nil }
            guard let partCheck = checkPart(way.dropFirst(), version) else { return nil }
            return { partCheck($0 + offset) }
        }
    }

    /// The middleware of each element.
    @inlinable
    package convenience init<Part: Sendable, PartAction: Sendable>(
        ofEach part: AnyMiddleware<Part, PartAction>
    ) where State: KeyedElements, State.Value == Part, Action == ElementAction<State.Key, PartAction> {
        let embed: @Sendable (State.Key) -> @Sendable (PartAction) -> Action = { key in { ElementAction(key, $0) } }
        let tracker = ElementTracker<State>()
        self.init(
            respond: { (commit: borrowing Commit<State, Action>) in
                let key = commit.action.key
                guard let value = commit.state.element(of: key) else { return .none }
                let previous = commit.previousPlace.flatMap { $0.pointee.element(of: key) }
                return commit.narrowed(to: value, commit.action.action, previous: previous) {
                    part.answer($0).embedded(in: .element(key, value), embed(key))
                }
            },
            resume: { state in
                .merge(
                    state.elementKeys.compactMap { key in
                        state.element(of: key).map { value in
                            part.resumeAnswer(value).embedded(in: .element(key, value), embed(key))
                        }
                    })
            },
            intercept: Self.intercept(ofEach: part, embed),
            isGone: { path, state in
                guard let first = path.first, let key = first.elementKey(as: State.Key.self) else { return false }
                guard let value = state.element(of: key), .element(key, value) == first else { return true }
                return part.isGone?(path.dropFirst(), value) ?? false
            },
            look: { way, state, look in
                // A longer way leads to a collection of another middleware.
                if way.isEmpty { look.look(at: state, tracker, isGone: part.isGone) }
            }, check: { way, version in way.isEmpty ? tracker?.check(version) : nil },
            timers: part.timers.map { source in
                TimerSource(group: source.group.embedded(in: .elements)) { state in
                    state.elementKeys.flatMap { key in
                        state.element(of: key).map { value in
                            source.timers(value).map { $0.embedded(in: .element(key, value), embed(key)) }
                        } ?? []
                    }
                }
            },
            onlyWatches: part.onlyWatches, reducerPath: part.reducerPath,
            readsPreviousState: part.readsPreviousState)
    }

    @inlinable
    static func intercept<Part: Sendable, PartAction: Sendable>(
        ofEach part: AnyMiddleware<Part, PartAction>,
        _ embed: @escaping @Sendable (State.Key) -> @Sendable (PartAction) -> Action
    ) -> Intercept? where State: KeyedElements, State.Value == Part, Action == ElementAction<State.Key, PartAction> {
        guard let interceptPart = part.interceptFunction else { return nil }
        return { action, state, context in
            guard let value = state.element(of: action.key) else { return .pass }
            return interceptPart(action.action, value, context).map(embed(action.key))
        }
    }
}
