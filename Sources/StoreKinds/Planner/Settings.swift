import JSON
package import StoreHosting

/// The settings of the planner.
package struct Settings: Sendable, Equatable {
    package enum Theme: String, Sendable, CaseIterable, JSONEncodable, Restorable {
        case system, light, dark
    }

    package var theme = Theme.system
    /// A BCP 47 tag.
    package var locale = "en"
    package var notifications = true

    package init() {}

    private static let language = Field.string("locale", .languageTag, example: "en-GB")
        .described("The language, a BCP 47 tag.")

    package static let update = Action<Settings, (Theme?, String?, Bool?)>(
        "update", "Changes the settings that are given, one at least.",
        Field.choice("theme", example: Theme.dark).described("The colours.").optional(),
        language.optional(),
        Field.boolean("notifications", example: false).described("Whether to notify.").optional(), members: 1...3
    ) { settings, theme, locale, notifications in
        if let theme { settings.theme = theme }
        if let locale { settings.locale = locale }
        if let notifications { settings.notifications = notifications }
    }

    package static let elements = StoreElements<Settings> {
        Member("theme", \.theme)
        Member("locale", \.locale)
        Member("notifications", \.notifications)
        update
    }
}
