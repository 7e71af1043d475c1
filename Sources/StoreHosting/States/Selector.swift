public import JSON
public import Stores

/// A named value that is computed from the state, for all readers or for each reader.
///
///     Selector("total", "The price of the list, in cents.") { list in list.total }
///     Selector("hand", "The cards of the reader.") { game, reader in game.hands[reader.id] ?? [] }
///
/// A server passes whoever asks as the reader: the user of a token, the guest of a share, or an anonymous actor. Each reader gets the
/// value for itself and no other, in answers and in event streams. The members that it reads may be hidden.
public struct Selector<State: Sendable>: Sendable {
    /// The name by which clients select it: `?select=summary`.
    package let name: String
    /// The selected value, in a sentence.
    package let summary: String
    /// Whether it has a value for each reader.
    let dependsOnActor: Bool
    /// Writes the value for a reader; nil for an anonymous one, or if it does not depend on the reader.
    let write: @Sendable (State, Actor?, inout JSONWriter) -> Void

    /// A selector under a name.
    ///
    /// - Parameters:
    ///   - name: the name by which clients select it.
    ///   - summary: the selected value, in a sentence.
    ///   - select: computes the value; called for each commit that a client observes, and for each read.
    public init<Value: JSONEncodable & Sendable>(
        _ name: String, _ summary: String, _ select: @escaping @Sendable (State) -> Value
    ) {
        self.init(name, summary, dependsOnActor: false) { state, _, json in json.value(select(state)) }
    }

    /// A selector under a name, with a value for each reader.
    ///
    /// - Parameters:
    ///   - name: the name by which clients select it.
    ///   - summary: the selected value, in a sentence.
    ///   - select: computes the value for a reader, who may be anonymous; called for each commit once for each reader who observes it,
    ///     and for each read. It must only read.
    public init<Value: JSONEncodable & Sendable>(
        _ name: String, _ summary: String,
        _ select: @escaping @Sendable (_ state: State, _ reader: Actor) -> Value
    ) {
        self.init(name, summary, dependsOnActor: true) { state, reader, json in
            json.value(select(state, reader ?? .anonymous))
        }
    }

    init(
        _ name: String, _ summary: String, dependsOnActor: Bool,
        write: @escaping @Sendable (State, Actor?, inout JSONWriter) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.dependsOnActor = dependsOnActor
        self.write = write
    }
}
