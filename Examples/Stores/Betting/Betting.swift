public import Stores

/// The state of a betting app, of parts.
public struct Betting: Sendable, Equatable {
    /// The balance in pence.
    public var balance = 0
    /// The selections of the slip.
    public var slip: [String] = []

    /// No money and no bet.
    public init() {}
}

/// The actions of the app: one case for each part.
public enum BettingAction: Sendable {
    case balance(BalanceAction)
    case slip(SlipAction)
}

/// The actions of the balance.
public enum BalanceAction: Sendable {
    case pay(Int)
}

/// The actions of the slip.
public enum SlipAction: Sendable {
    case add(String)
    case remove(String)
}

/// The reducer of the balance, which knows nothing of the app.
let balanceReducer = Reduce<Int, BalanceAction> { balance, action in
    switch action {
    case .pay(let pence): balance += pence
    }
}

/// The reducer of the slip.
let slipReducer = Reduce<[String], SlipAction> { slip, action in
    switch action {
    case .add(let selection): slip.append(selection)
    case .remove(let selection): slip.removeAll { $0 == selection }
    }
}

/// The reducer of the app.
public struct BettingReducer: ComposedReducer {
    public let body = Compose<Betting, BettingAction> {
        Scope(\.balance, BettingAction.balance, balanceReducer)
        Scope(\.slip, BettingAction.slip, slipReducer)
    }

    /// A reducer without parameters.
    public init() {}
}
