package import Stores

/// What can be done with the settings.
package enum SettingsAction: CataloguedAction, Equatable {
    /// Nil leaves a setting as it is.
    case update(theme: SettingsState.Theme?, locale: String?, notifications: Bool?)

    package static let catalogue = ActionCatalogue<SettingsAction>([
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
