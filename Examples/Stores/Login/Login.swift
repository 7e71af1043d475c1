public import Stores

/// A login screen.
public struct Login: Sendable, Equatable {
    /// The phases of the screen.
    public enum Phase: Sendable, Equatable {
        case idle, validating, valid, authenticating, authenticated
        case failed(LoginError)
    }

    /// The phase.
    public var phase = Phase.idle
    var username = ""
    var password = ""

    /// An empty screen.
    public init() {}

    mutating func validate() {
        phase = username.count >= 8 && password.count >= 8 ? .valid : .validating
    }
}

/// The reasons why nobody is logged in.
public enum LoginError: Error, Sendable, Equatable {
    case invalidCredentials
    case network
}

/// The actions of the screen.
public enum LoginAction: Sendable, Equatable {
    case username(String)
    case password(String)
    case authenticate
    case acknowledgeError
}

/// The rules of the screen, as one asynchronous function.
public struct LoginReducer: AsyncReducer {
    let accepts: @Sendable (_ username: String, _ password: String) async throws(LoginError) -> Bool

    /// - Parameter accepts: asks the service whether the credentials are right.
    public init(accepts: @escaping @Sendable (_ username: String, _ password: String) async throws(LoginError) -> Bool)
    {
        self.accepts = accepts
    }

    public func reduce(
        _ login: Login, _ action: LoginAction, show: @Sendable (Login) -> Void
    ) async throws(Rejection) -> Login? {
        var login = login
        switch action {
        case .username(let username):
            login.username = username
            login.validate()
        case .password(let password):
            login.password = password
            login.validate()
        case .authenticate:
            guard login.phase == .valid else { throw "credentials-not-valid" }
            login.phase = .authenticating
            show(login)
            do throws(LoginError) {
                let isRight = try await accepts(login.username, login.password)
                login.phase = isRight ? .authenticated : .failed(.invalidCredentials)
            } catch {
                login.phase = .failed(error)
            }
        case .acknowledgeError:
            guard case .failed = login.phase else { return nil }
            login.validate()
        }
        return login
    }
}
