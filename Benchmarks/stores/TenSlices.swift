import Stores

/// Ten counters.
struct TenState: Sendable {
    var a = CounterState()
    var b = CounterState()
    var c = CounterState()
    var d = CounterState()
    var e = CounterState()
    var f = CounterState()
    var g = CounterState()
    var h = CounterState()
    var i = CounterState()
    var j = CounterState()
}

/// An action of one of the ten.
enum TenAction: Sendable {
    case a(CounterAction)
    case b(CounterAction)
    case c(CounterAction)
    case d(CounterAction)
    case e(CounterAction)
    case f(CounterAction)
    case g(CounterAction)
    case h(CounterAction)
    case i(CounterAction)
    case j(CounterAction)
}

/// The reducer of each counter, in its slice.
enum TenSlices {
    typealias Part = Scope<TenState, TenAction>

    static var a: Part { Part(\.a, .a, CounterReducer()) }
    static var b: Part { Part(\.b, .b, CounterReducer()) }
    static var c: Part { Part(\.c, .c, CounterReducer()) }
    static var d: Part { Part(\.d, .d, CounterReducer()) }
    static var e: Part { Part(\.e, .e, CounterReducer()) }
    static var f: Part { Part(\.f, .f, CounterReducer()) }
    static var g: Part { Part(\.g, .g, CounterReducer()) }
    static var h: Part { Part(\.h, .h, CounterReducer()) }
    static var i: Part { Part(\.i, .i, CounterReducer()) }
    static var j: Part { Part(\.j, .j, CounterReducer()) }

    /// All of them, composed.
    static var all: Compose<TenState, TenAction> {
        Compose {
            a
            b
            c
            d
            e
            f
            g
            h
            i
            j
        }
    }
}

extension CasePath<TenAction, CounterAction> {
    static var a: Self { Self(embed: { .a($0) }, extract: { if case .a(let action) = $0 { $1(action) } }) }
    static var b: Self { Self(embed: { .b($0) }, extract: { if case .b(let action) = $0 { $1(action) } }) }
    static var c: Self { Self(embed: { .c($0) }, extract: { if case .c(let action) = $0 { $1(action) } }) }
    static var d: Self { Self(embed: { .d($0) }, extract: { if case .d(let action) = $0 { $1(action) } }) }
    static var e: Self { Self(embed: { .e($0) }, extract: { if case .e(let action) = $0 { $1(action) } }) }
    static var f: Self { Self(embed: { .f($0) }, extract: { if case .f(let action) = $0 { $1(action) } }) }
    static var g: Self { Self(embed: { .g($0) }, extract: { if case .g(let action) = $0 { $1(action) } }) }
    static var h: Self { Self(embed: { .h($0) }, extract: { if case .h(let action) = $0 { $1(action) } }) }
    static var i: Self { Self(embed: { .i($0) }, extract: { if case .i(let action) = $0 { $1(action) } }) }
    static var j: Self { Self(embed: { .j($0) }, extract: { if case .j(let action) = $0 { $1(action) } }) }
}
