public import Stores

/// The fields of a login screen: properties, and no phases.
public struct LoginForm: Sendable, Equatable {
    /// The name that was typed.
    public var username = ""
    /// The password that was typed.
    public var password = ""
    /// Whether the service is asked now.
    public fileprivate(set) var isBusy = false
    /// Whether somebody is logged in.
    public fileprivate(set) var isAuthenticated = false
    /// Why nobody is.
    public fileprivate(set) var error: LoginError?

    /// An empty form.
    public init() {}

    /// Whether the service may be asked.
    public var hasValidCredentials: Bool { error == nil && username.count >= 8 && password.count >= 8 }

    /// No change may break one of these.
    public static let invariants: [Invariant<LoginForm>] = [
        Invariant("authenticated-with-an-error") { !($0.isAuthenticated && $0.error != nil) }
    ]
}

/// The form of one screen, and what its buttons do.
@MainActor
public final class LoginModel {
    /// The form as views see it.
    public let form: ObservedStore<LoginForm, ObservableStore<LoginForm>.Method>
    private let accepts: @Sendable (_ username: String, _ password: String) async throws(LoginError) -> Bool

    /// - Parameter accepts: asks the service whether the credentials are right.
    public init(accepts: @escaping @Sendable (_ username: String, _ password: String) async throws(LoginError) -> Bool)
    {
        form = ObservedStore(ObservableStore(LoginForm(), invariants: LoginForm.invariants))
        self.accepts = accepts
    }

    /// Asks the service.
    public func authenticate() async {
        guard form.hasValidCredentials, !form.isBusy else { return }
        form.send { $0.isBusy = true }
        let result: Result<Bool, LoginError>
        do throws(LoginError) {
            result = .success(try await accepts(form.username, form.password))
        } catch {
            result = .failure(error)
        }
        form.send { form in
            form.isBusy = false
            switch result {
            case .success(let isRight):
                form.isAuthenticated = isRight
                form.error = isRight ? nil : .invalidCredentials
            case .failure(let error): form.error = error
            }
        }
    }

    /// Lets the user try again.
    public func acknowledgeError() { form.send { $0.error = nil } }
}
