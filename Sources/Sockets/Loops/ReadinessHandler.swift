/// Someone who waits for a descriptor on an event loop. The loop keeps it alive while it watches.
package protocol ReadinessHandler: AnyObject {
    /// The descriptor is ready. The loop is level-triggered: what is left undone is told again.
    func ready(_ descriptor: Int32, _ readiness: Readiness)

    /// The loop ends, and no longer watches the descriptor; its owner closes it now.
    func loopStopped(_ descriptor: Int32)
}
