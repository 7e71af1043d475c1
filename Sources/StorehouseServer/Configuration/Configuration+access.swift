import Platform
import Security

extension Configuration.Authorization {
    /// The faults of values that are valid one by one.
    var conflicts: [ConfigurationProblem] {
        switch mode {
        case .token where secret == nil && publicKeys.isEmpty && jwksURL == nil:
            return [
                ConfigurationProblem(
                    path: "access.mode",
                    detail:
                        "is token, but no key can verify tokens; set access.secret, access.publicKeys or access.jwksURL"
                )
            ]
        case .token: return []
        case .capability:
            let isSet = [
                "publicKeys": !publicKeys.isEmpty, "jwksURL": jwksURL != nil, "issuer": issuer != nil,
                "audience": audience != nil, "nameClaim": actorClaims.name != ActorClaims().name,
                "rolesClaim": actorClaims.roles != ActorClaims().roles,
            ]
            return isSet.filter(\.value).keys.sorted().map { name in
                ConfigurationProblem(
                    path: "access.\(name)",
                    detail: "has no effect while access.mode is capability; set access.mode to token, or remove it")
            }
        }
    }

    /// Keys that cannot be used.
    var problems: [ConfigurationProblem] {
        do throws(ConfigurationError) {
            _ = try tokenVerifier()
            return conflicts
        } catch {
            return conflicts + error.problems
        }
    }

    /// Verifies tokens with the keys of the configuration.
    ///
    /// - Returns: nil in capability mode.
    func tokenVerifier() throws(ConfigurationError) -> TokenVerifier? {
        guard mode == .token else { return nil }
        if let problem = CryptoLibrary.load() {
            throw ConfigurationError(problems: [
                ConfigurationProblem(
                    path: "access.mode",
                    detail: "is token, but libcrypto cannot be loaded (Debian package: libssl3): \(problem)")
            ])
        }
        var problems: [ConfigurationProblem] = []
        var keys = secret.flatMap { VerificationKey(secret: Array($0.text.utf8)) }.map { [$0] } ?? []
        for path in publicKeys {
            do throws(PublicKeyFile.Unusable) {
                keys += try Self.keys(path)
            } catch {
                problems.append(
                    ConfigurationProblem(path: "access.publicKeys", detail: "the file '\(path)' \(error.detail)"))
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return TokenVerifier(keys: keys, issuer: issuer, audience: audience, actorClaims: actorClaims)
    }

    private static func keys(_ path: String) throws(PublicKeyFile.Unusable) -> [VerificationKey] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileContents.contents(of: path, atMost: 1 << 20)
        } catch {
            throw PublicKeyFile.Unusable(detail: "cannot be read: \(error)")
        }
        return try PublicKeyFile.keys(String(decoding: bytes, as: UTF8.self))
    }
}
