import JSON
import StoreHosting
import StoreKinds
import StorehouseClient
import Stores

/// A state of the kind `app`, or any other value, as the scenarios use both.
struct Shape: Sendable {
    var json: JSONValue = .null
    /// Nil if the value is no such state.
    var app: App?

    /// The rules of the kind, on states that are its own.
    static func model(version: String?) -> RemoteModel<Shape> {
        let coding = App.store.clientCoding
        var findVersion: (@Sendable () -> String)?
        if let version { findVersion = { version } }
        return RemoteModel(
            initialState: Shape(), version: findVersion,
            update: { (shape: inout Shape, json: JSONValue, changed: ChangedPlaces) in
                shape.json = json
                guard json["counter"] != nil else {
                    shape.app = nil
                    return
                }
                var app = changed == .all ? App() : shape.app ?? App()
                try coding.update(&app, from: json, changed: shape.app == nil ? .all : changed)
                shape.app = app
            },
            action: { json, actor, now in
                guard let coded = coding.coded(json, by: actor, at: now) else { return .init(json: json) }
                // The kit knows the rules of these parts only.
                let part = json["type"]?.asString?.prefix { $0 != "/" }
                let isKnown = ["counter", "user", "betslip"].contains(part)
                guard isKnown, coded.isFilled, !coded.isSecret else {
                    return .init(json: json, isSecret: coded.isSecret)
                }
                let typed = coded.action
                return .init(
                    json: json,
                    apply: { (shape: inout Shape) in
                        guard var app = shape.app.take() else { return .ignore }
                        defer { shape.app = app }
                        return coding.apply(typed, to: &app)
                    })
            })
    }

    /// The value that a view sees.
    ///
    /// - Parameter isPredicted: whether an action has changed the state.
    func shown(isPredicted: Bool) -> JSONValue {
        guard isPredicted, let app, let all = try? JSONValue(parsing: App.store.clientCoding.encode(app)),
            let confirmed = json.asObject
        else { return json }
        // A scripted server may have some of the members only.
        return .object(JSONObject(confirmed.map { ($0.name, all[$0.name] ?? .null) }))
    }
}
