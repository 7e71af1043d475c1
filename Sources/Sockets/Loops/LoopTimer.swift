/// Names one scheduled job. It stays harmless after the timer has fired or its place was reused.
package struct LoopTimer: Hashable, Sendable {
    let index: Int32
    let generation: UInt32
}
