import JSON
package import Stores

/// How the planner looks and speaks.
package struct SettingsState: StateSlice, Equatable {
    package static let key: StaticString = "settings"

    package enum Theme: String, Sendable, CaseIterable, JSONEncodable, Restorable {
        case system, light, dark
    }

    package var theme = Theme.system
    /// A BCP 47 tag.
    package var locale = "en"
    package var notifications = true

    package init() {}

    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        theme = try kept.member("theme")
        locale = try kept.member("locale")
        notifications = try kept.member("notifications")
    }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.member("theme", theme)
        members.member("locale", locale)
        members.member("notifications", notifications)
    }
}
