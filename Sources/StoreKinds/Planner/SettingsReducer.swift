import Stores

/// Changes what is given.
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
