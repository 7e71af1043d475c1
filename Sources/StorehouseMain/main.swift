import JSON
import StoreKinds
import Storehouse

await StorehouseApp { services in
    let (animal, auth) = (services.configuration.animal, services.configuration.auth)
    return StoreKind.all(
        animal: AnimalService(client: services.animal, pointer: animal.pointer),
        auth: AuthService(
            client: services.auth, usernameField: auth.usernameField, passwordField: auth.passwordField,
            body: auth.body == .form ? .form : .json, fields: auth.fields.mapValues(\.text),
            rejectionStatuses: Set(auth.noStatuses), successPointer: auth.pointer))
}
.main()
