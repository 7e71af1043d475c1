package import StoreHosting

/// The state of all slices.
package struct App: Sendable, Equatable {
    package var betting = Betting()
    package var animal = Animal()
    package var login = Login()
    package var planner = Planner()

    package init() {}

    package static let betting = Part(\App.betting) { Betting.elements }
    package static let animal = Part("animal", \App.animal) { Animal.elements }
    package static let login = Part("login", \App.login) { Login.elements }
    package static let planner = Part(\App.planner) { Planner.elements }

    package static let store = StoreDefinition("app", "One state composed of every slice.", App()) {
        betting
        animal
        login
        planner
    }
}
