package import JSON
import StoreHosting

/// A subject and the name of a kind, of which there is one personal session.
package struct PersonalKey: Sendable, Hashable {
    package let subject: Subject
    package let kind: String
}

extension Session {
    /// Nil if it is not personal.
    var personalKey: PersonalKey? {
        guard isPersonal, let owner else { return nil }
        return PersonalKey(subject: owner, kind: kind.name)
    }
}
