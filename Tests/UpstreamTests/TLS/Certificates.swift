import FaultyServices
import Platform
import Testing

/// Certificates of an authority that the tests made up, in a folder of their own.
///
/// Each name has a key beside it: `server` is for the loopback address, `elsewhere` for another host, `expired` is no longer
/// good, `stranger` nobody's but its own, `client` says who calls; `locked.key` is the client's, encrypted.
final class Certificates: Sendable {
    static let password = "a password of the tests"

    /// The certificates of the suite that runs; see ``CertificatesTrait``.
    @TaskLocal static var current: Certificates?

    let folder: String

    init() async throws {
        var name = Array("/tmp/storehouse-tls-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw TestSocket.Failure(call: "mkdtemp", code: errno) }
        folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try await Program.run(Self.script, folder, Self.password)
    }

    deinit {
        try? Program(#"rm -r "$1""#, [folder]).reap()
    }

    func file(_ name: String) -> String { "\(folder)/\(name)" }

    private static let script = """
        set -e
        cd "$1"
        key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
        loopback=subjectAltName=IP:127.0.0.1,DNS:localhost
        sign() { # name, days, extension
            openssl req "${key[@]}" -keyout $1.key -out $1.csr -subj "/CN=$1"
            openssl x509 -req -in $1.csr -CA authority.pem -CAkey authority.key -CAcreateserial -out $1.pem -days $2 \\
                -extfile <(echo "$3")
        }
        openssl req -x509 "${key[@]}" -keyout authority.key -out authority.pem -subj /CN=authority -days 2
        openssl req -x509 "${key[@]}" -keyout stranger.key -out stranger.pem -subj /CN=stranger -days 2 -addext $loopback
        sign server 2 $loopback
        sign elsewhere 2 subjectAltName=DNS:elsewhere.example
        sign expired -1 $loopback
        sign client 2 extendedKeyUsage=clientAuth
        openssl ec -in client.key -aes128 -passout "pass:$2" -out locked.key
        """
}

/// Makes the certificates once for all tests of a suite, since that takes a dozen runs of openssl.
struct CertificatesTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Certificates.$current.withValue(try await Certificates()) { try await function() }
    }
}

extension Trait where Self == CertificatesTrait {
    static var certificates: Self { Self() }
}
