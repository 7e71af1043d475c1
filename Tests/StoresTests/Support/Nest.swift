import Stores

/// A bird counts its ticks. Its effect `sing` waits for the gate of its name and then ticks.
struct Bird: Sendable, Equatable {
    var name: String
    var ticks = 0
    var alarm: Int?
    var chick: Chick?

    init(_ name: String = "") { self.name = name }
}

/// The child of a bird: one child of another.
struct Chick: Sendable, Equatable, Identifiable {
    var id: Int
    var ticks = 0
}

enum BirdAction: Sendable, Equatable {
    case sing(String)
    case tick
    case hush
    case chick(ChickAction)
}

enum ChickAction: Sendable, Equatable {
    case sing(String)
    case tick
}

/// A bird, or what else there may be in a place.
enum Guest: Sendable, Equatable {
    case bird(Bird)
    case other(Bird)
    case nobody
}

/// All places where a bird can be.
struct Nest: Sendable, Equatable {
    var left = Bird("left")
    var right = Bird("right")
    var maybe: Bird?
    var guest = Guest.nobody
    var birds: [String: Bird] = [:]
    var list: [Bird] = []
}

enum NestAction: Sendable, Equatable {
    case left(BirdAction)
    case right(BirdAction)
    case maybe(BirdAction)
    case guest(GuestAction)
    case bird(ElementAction<String, BirdAction>)
    case listed(ElementAction<Int, BirdAction>)
    case set(Nest)
}

enum GuestAction: Sendable, Equatable {
    case bird(BirdAction)
    case other(BirdAction)
}

struct BirdReducer: Reducer {
    func decide(_ action: BirdAction, in state: Bird) -> Decision { .accept }

    func reduce(_ state: inout Bird, _ action: BirdAction) {
        if action == .tick { state.ticks += 1 }
    }
}

struct ChickReducer: Reducer {
    func decide(_ action: ChickAction, in state: Chick) -> Decision { .accept }

    func reduce(_ state: inout Chick, _ action: ChickAction) {
        if action == .tick { state.ticks += 1 }
    }
}

/// Runs the effect `song`.
struct BirdMiddleware: Interceptor {
    let gates: Gates
    var policy = EffectPolicy.latest

    func intercept(_ action: BirdAction, in state: Bird) -> Interception<BirdAction> {
        action == .sing("mute") ? .reject("mute") : .pass
    }

    func respond(to commit: borrowing Commit<Bird, BirdAction>) -> Effect<BirdAction> {
        switch commit.action {
        case .sing(let gate):
            .run("song", policy) { [gates] in
                await gates[gate].wait()
                return .tick
            }
        case .hush: .cancel("song")
        case .tick, .chick: .none
        }
    }

    func resume(_ state: Bird) -> Effect<BirdAction> { state.ticks == 7 ? .dispatch(.tick) : .none }
}

struct NestReducer: ComposedReducer {
    let gates: Gates
    var policy = EffectPolicy.latest

    var body: some Reducer<Nest, NestAction> {
        Scope(\.left, .left, bird)
        Scope(\.right, .right, bird)
        Scope(\.maybe, .maybe, IfPresent(bird))
        Scope(
            \.guest, .guest,
            Compose {
                IfCase(.bird, .bird, bird)
                IfCase(.other, .other, bird)
            })
        Scope(\.birds, .bird, ForEach(bird))
        Scope(\.list, .listed, ForEach(bird))
        Setter()
    }

    private var bird: AnyReducer<Bird, BirdAction> {
        let chick = MiddlewareFunction<Chick, ChickAction> { [gates] commit in
            guard case .sing(let gate) = commit.action else { return .none }
            return .run("song") {
                await gates[gate].wait()
                return .tick
            }
        }
        return Compose {
            BirdReducer()
            Scope(\.chick, .chick, IfPresent(ChickReducer().with(chick)))
        }
        .with(
            BirdMiddleware(gates: gates, policy: policy),
            Timers("alarms") { bird in bird.alarm.map { [StateTimer("alarm", at: $0, .tick)] } ?? [] })
    }

    private struct Setter: Reducer {
        func decide(_ action: NestAction, in state: Nest) -> Decision {
            if case .set = action { .accept } else { .ignore }
        }

        func reduce(_ state: inout Nest, _ action: NestAction) {
            if case .set(let nest) = action { state = nest }
        }
    }
}

extension CasePath<NestAction, BirdAction> {
    static var left: Self { Self(embed: { .left($0) }, extract: { if case .left(let action) = $0 { $1(action) } }) }
    static var right: Self { Self(embed: { .right($0) }, extract: { if case .right(let action) = $0 { $1(action) } }) }
    static var maybe: Self { Self(embed: { .maybe($0) }, extract: { if case .maybe(let action) = $0 { $1(action) } }) }
}

extension CasePath<NestAction, GuestAction> {
    static var guest: Self { Self(embed: { .guest($0) }, extract: { if case .guest(let action) = $0 { $1(action) } }) }
}

extension CasePath<NestAction, ElementAction<String, BirdAction>> {
    static var bird: Self { Self(embed: { .bird($0) }, extract: { if case .bird(let action) = $0 { $1(action) } }) }
}

extension CasePath<NestAction, ElementAction<Int, BirdAction>> {
    static var listed: Self {
        Self(embed: { .listed($0) }, extract: { if case .listed(let action) = $0 { $1(action) } })
    }
}

extension CasePath<GuestAction, BirdAction> {
    static var bird: Self { Self(embed: { .bird($0) }, extract: { if case .bird(let action) = $0 { $1(action) } }) }
    static var other: Self { Self(embed: { .other($0) }, extract: { if case .other(let action) = $0 { $1(action) } }) }
}

extension CasePath<Guest, Bird> {
    static var bird: Self { Self(embed: { .bird($0) }, extract: { if case .bird(let bird) = $0 { $1(bird) } }) }
    static var other: Self { Self(embed: { .other($0) }, extract: { if case .other(let bird) = $0 { $1(bird) } }) }
}

extension CasePath<BirdAction, ChickAction> {
    static var chick: Self { Self(embed: { .chick($0) }, extract: { if case .chick(let action) = $0 { $1(action) } }) }
}
