extension StoreDefinition {
    /// How a ``Fetch`` is repeated that gets no answer, such as the payment of an order.
    ///
    ///     Fetch("pay", on: pay, from: bank, as: RemoteResponse.Status.self, retry: .upTo(5, every: .seconds(2), in: \.calls)) { … }
    ///
    /// A call is repeated if it fails in transit: without a connection, without an answer in time, with a status that says that the service is
    /// not there now (429, 502, 503, 504), if the breaker refuses it, or if its process ends. It is repeated with the same request and the same
    /// `Idempotency-Key`, so that a service that knows the key acts once. Any other answer ends it, and so does the last try. The next action of
    /// a user begins another call with another key.
    ///
    /// The state keeps the calls, with their keys and the times of their next tries, so they continue after a restart, and at another node. A
    /// fork does not repeat the calls of its parent: it gets the failure `interrupted`.
    public struct Retry: Sendable {
        let limit: Int
        let place: any WritableKeyPath<State, PendingCalls> & Sendable
        private let first: Int
        private let longest: Int

        /// Tries at equal distances, or at growing ones.
        ///
        /// - Parameters:
        ///   - limit: how many tries there are, the first one included; at least 1.
        ///   - pause: the time between the end of a try and the next.
        ///   - longest: if it is given, each pause is twice as long as the one before, and at most this long.
        ///   - place: a property of the state, which has a ``Member``, so that it is persisted. Several fetches may share it.
        public static func upTo(
            _ limit: Int, every pause: Duration, doublingTo longest: Duration? = nil,
            in place: any WritableKeyPath<State, PendingCalls> & Sendable
        ) -> Retry {
            Retry(limit: limit, place: place, first: pause.inMilliseconds, longest: (longest ?? pause).inMilliseconds)
        }

        /// The pause after a try, in milliseconds.
        func pause(after number: Int) -> Int { min(longest, first << min(max(0, number - 1), 30)) }

        /// The errors in the limits, as predicates.
        var problems: [String] {
            (limit < 1 ? ["must have at least one try"] : [])
                + (first < 1 || longest < first
                    ? ["must pause for a millisecond at least, and never shorter than at first"] : [])
        }

        func calls(of state: State) -> PendingCalls { state[keyPath: place] }

        func add(_ call: PendingCalls.Entry, to state: inout State) { state[keyPath: place][call.effect] = call }

        func update(_ effect: String, in state: inout State, _ change: (inout PendingCalls.Entry) -> Void) {
            state[keyPath: place].update(effect, change)
        }

        /// - Parameter isNew: whether it ends even if it has not begun. The answer of an older call does not end a newer one.
        func end(_ effect: String, in state: inout State, evenIfNew: Bool = false) {
            guard let call = state[keyPath: place][effect], evenIfNew || call.key != nil else { return }
            state[keyPath: place][effect] = nil
        }
    }
}

extension Duration {
    /// Rounded down. Long durations are cut to a hundred years, so that sums of times do not overflow.
    fileprivate var inMilliseconds: Int { Int(min(self, .seconds(3_000_000_000)) / .milliseconds(1)) }
}
