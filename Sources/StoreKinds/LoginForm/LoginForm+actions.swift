package import Stores

extension LoginForm {
    /// What takes the form's actions: it calls the method of that name, and the invariants are checked after each.
    package static var reducer: Observable<LoginForm, FormAction> {
        Observable(invariants: invariants) { form, action throws(Rejection) in
            switch action {
            case .set(let entered): try form.set(entered)
            case .authenticate: form.authenticate()
            case .ackError: form.ackError()
            case .reset: form.reset()
            case .authenticated: form.succeed()
            case .failed(let error): form.fail(error)
            }
        }
    }
}
