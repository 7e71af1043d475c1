import Stores

/// The end of the streams of actors who may not read what comes from a commit on, and of permits that ended with it.
final class Revocation: Sendable {
    private let actors: Set<Actor>
    private let endsPermits: Bool
    private let revision: Int
    private let groups: [SubscriberGroup]

    /// - Parameters:
    ///   - revision: that of the commit.
    ///   - groups: those of all streams of the session.
    init(of actors: Set<Actor>, _ endsPermits: Bool, at revision: Int, _ groups: [SubscriberGroup]) {
        self.actors = actors
        self.endsPermits = endsPermits
        self.revision = revision
        self.groups = groups
    }

    /// Ends the streams before anything that is sent after this call.
    func perform() {
        for group in groups {
            group.end("revoked") { [actors, endsPermits, revision] stream in
                if endsPermits, stream.hasInvalidPermit { return true }
                // A later commit may have given the right again, and with it a new stream.
                return stream.firstRevision < revision && stream.visitor.map(actors.contains) ?? false
            }
        }
    }
}
