/// What is under way in a store: actions that came from inside, effects, timers, and what is to be told afterwards.
///
/// A store in which nothing is under way has none, so that it costs neither memory nor time.
@usableFromInline
final class Agenda<Action: Sendable> {
    /// What came from inside, in order.
    var inbox: [Submission<Action>] = []
    var effects = EffectTable<Action>()
    var timers: [TimerGroup<Action>] = []
    var aftermath = Aftermath()
    /// Whether what happens to effects is told later: inside a batch it would come before the commits that it follows from.
    var holdsNews = false
    /// What is told of effects at the end of the batch.
    var news: [EffectEvent] = []

    @usableFromInline
    init() {}

    var isEmpty: Bool { inbox.isEmpty && effects.isEmpty && timers.isEmpty && aftermath.isEmpty }
}
