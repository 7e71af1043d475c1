package import Stores

/// A state at one revision, lent for the length of a call.
@usableFromInline
package struct StateView: ~Copyable {
    /// The revision of the state.
    @usableFromInline
    package let revision: Int
    @usableFromInline let source: any StateSource
    @usableFromInline let contents: UnsafeRawPointer

    @inlinable
    init(revision: Int, _ source: any StateSource, _ contents: UnsafeRawPointer) {
        self.revision = revision
        self.source = source
        self.contents = contents
    }

    /// The newest commit, and those before it in its batch; empty at revision 0.
    package var commits: [CommitRecord] { source.commits }

    /// The tag of the request that has made the newest commit; nil if it has none, and outside of that commit.
    package var tag: (any AnyObject & Sendable)? { source.tag }

    /// The rights that the state gives to an actor who does not own the session.
    package func rights(of actor: Actor) -> AccessRights { source.rights(of: actor, contents) }

    /// The selected value as JSON. The whole state of a revision is encoded once, however often it is read.
    @usableFromInline
    package func encoded(_ selection: Selection) -> [UInt8] { source.encoded(selection, at: revision, contents) }

    /// The members of the state, some of them perhaps twice; nil if the kind names none.
    package var members: [ActorID]? { source.members(in: contents) }
}

/// Encodes the state of one store.
@usableFromInline
protocol StateSource: AnyObject {
    /// The commits of the newest dispatch that committed something.
    var commits: [CommitRecord] { get }

    /// The tag of the commit in progress.
    var tag: (any AnyObject & Sendable)? { get }

    /// The rights that the state gives to an actor who does not own the session.
    func rights(of actor: Actor, _ contents: UnsafeRawPointer) -> AccessRights

    /// The selected value as JSON.
    ///
    /// - Parameters:
    ///   - revision: that of the state.
    ///   - contents: those of the store.
    func encoded(_ selection: Selection, at revision: Int, _ contents: UnsafeRawPointer) -> [UInt8]

    /// The members of the state; nil if the kind names none.
    ///
    /// - Parameter contents: those of the store.
    func members(in contents: UnsafeRawPointer) -> [ActorID]?
}
