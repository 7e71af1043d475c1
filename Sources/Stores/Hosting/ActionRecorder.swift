/// Takes what a store commits, each action once and in the order of their revisions.
public protocol ActionRecorder: AnyObject, Sendable {
    /// Takes a commit. It is called inside the store, so it must be quick.
    func append(_ record: ActionRecord)
}
