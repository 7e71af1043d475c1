/// Takes what a store commits, each action once and in the order of their revisions.
public protocol ActionRecorder: AnyObject, Sendable {
    /// Takes a commit, with the state that it led to. It is called inside the store, so it must be quick.
    func append(_ record: ActionRecord, _ state: borrowing StateView)
}
