import HTTP
import Sessions

extension Route {
    /// The part of the server that a method needs. It is required before anything of the request is looked at but its query.
    func need(of method: HTTPMethod) -> Availability.Need {
        switch (self, method) {
        case (.actions, .post), (.sharedActions, .post): .commit
        case (.sessions, .post), (.forks, .post): .room
        case (.events, .get), (.sharedEvents, .get), (.session, .put), (.shares, .post): .serving
        case (.session, .delete), (.adminSession, .delete), (.shares, .delete): .storage
        default: .nothing
        }
    }
}
