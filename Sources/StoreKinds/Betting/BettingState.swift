package import JSON
import Stores

/// A counter, an account and a betslip.
package struct BettingState: HostedState, Equatable {
    package var counter = CounterState()
    package var user = UserState()
    package var betslip = BetslipState()

    package init() {}

    func encodeSlices(into json: inout JSONWriter) {
        json.slice(counter)
        json.slice(user)
        json.slice(betslip)
    }

    package func encode(into json: inout JSONWriter) {
        json.object { encodeSlices(into: &$0) }
    }
}
