import Stores

/// The end of the streams of actors who may not read what comes from a commit on.
final class Revocation: Sendable {
    private let actors: Set<Actor>
    private let revision: Int
    private let groups: [SubscriberGroup]

    /// - Parameters:
    ///   - revision: that of the commit.
    ///   - groups: those of all streams of the session.
    init(of actors: Set<Actor>, at revision: Int, _ groups: [SubscriberGroup]) {
        self.actors = actors
        self.revision = revision
        self.groups = groups
    }

    /// Ends the streams before anything that is sent after this call.
    func perform() {
        for group in groups {
            group.end("revoked") { [actors, revision] stream in
                // A later commit may have given the right again, and with it a new stream.
                stream.firstRevision < revision && stream.visitor.map(actors.contains) ?? false
            }
        }
    }
}
