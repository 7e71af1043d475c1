/// An object that is not held.
struct Weak<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object?) {
        self.object = object
    }
}
