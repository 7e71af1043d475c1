import JSON
package import StoreHosting
import Stores

/// The settings of the planner.
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

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        theme = try persisted.member("theme")
        locale = try persisted.member("locale")
        notifications = try persisted.member("notifications")
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("theme", theme)
        members.member("locale", locale)
        members.member("notifications", notifications)
    }
}

/// The actions of the settings slice.
package enum SettingsAction: DeclaredAction, Equatable {
    /// Nil leaves a setting unchanged.
    case update(theme: SettingsState.Theme?, locale: String?, notifications: Bool?)

    package static let catalogue = ActionSchema<SettingsAction>([
        ActionDeclaration(
            "settings/update", "Changes the settings that are given, one at least.", members: 1...3,
            fields: Field.choice("theme", example: SettingsState.Theme.dark).described("The colours.").optional(),
            Field.string("locale", .languageTag, example: "en-GB").described("The language, a BCP 47 tag.").optional(),
            Field.boolean("notifications", example: false).described("Whether to notify.").optional(),
            embed: { .update(theme: $0, locale: $1, notifications: $2) },
            extract: { action in
                switch action {
                case .update(let theme, let locale, let notifications): (theme, locale, notifications)
                }
            })
    ])
}

/// Changes the given settings.
package struct SettingsReducer: Reducer {
    package init() {}

    package func reduce(_ state: inout SettingsState, _ action: SettingsAction) {
        switch action {
        case .update(let theme, let locale, let notifications):
            if let theme { state.theme = theme }
            if let locale { state.locale = locale }
            if let notifications { state.notifications = notifications }
        }
    }
}
