import JSON
import StoreHosting
import StoreKinds
import StorehouseClient

/// A state of the kind `app`, or any other value, as the scenarios use both.
struct Shape: Sendable {
    var json: JSONValue = .null
    /// Nil if the value is no such state.
    var app: App?

    /// The rules of the kind, on states that are its own.
    static func model(version: String?) -> RemoteModel<Shape> {
        let coding = App.store.clientCoding
        return RemoteModel(
            initialState: Shape(), version: version.map { version in { version } },
            update: { shape, json, names in
                shape.json = json
                guard json["counter"] != nil, json["user"] != nil, json["betslip"] != nil else {
                    return shape.app = nil
                }
                var app = names == nil ? App() : shape.app ?? App()
                try coding.update(&app, from: json, only: shape.app == nil ? nil : names)
                shape.app = app
            },
            action: { json, actor, now in
                guard let coded = coding.coded(json, by: actor, at: now) else { return .init(json: json) }
                guard coded.isFilled, !coded.isSecret else { return .init(json: json, isSecret: coded.isSecret) }
                return .init(json: json) { shape in
                    guard var app = shape.app.take() else { return .ignore }
                    defer { shape.app = app }
                    return coding.apply(coded.action, to: &app)
                }
            })
    }

    /// The value that a view sees.
    ///
    /// - Parameter isPredicted: whether an action has changed the state.
    func shown(isPredicted: Bool) -> JSONValue {
        guard isPredicted, let app, let json = try? JSONValue(parsing: App.store.clientCoding.encode(app)) else {
            return json
        }
        return json
    }
}
