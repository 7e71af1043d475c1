package import JSON

/// How the planner looks and speaks.
package struct SettingsState: StateSlice, Equatable {
    package static let key: StaticString = "settings"

    package enum Theme: String, Sendable, CaseIterable, JSONEncodable {
        case system, light, dark
    }

    package var theme = Theme.system
    /// A BCP 47 tag.
    package var locale = "en"
    package var notifications = true

    package init() {}

    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("theme", theme)
            json.member("locale", locale)
            json.member("notifications", notifications)
        }
    }
}
