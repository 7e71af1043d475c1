import CCrypto
import Curl
import Platform
import Testing

/// The end of a process whose threads still use OpenSSL.
@Suite(.timeLimit(.minutes(5))) struct ProcessExitTests {
    /// A thread that ends while OpenSSL frees its data would free them again.
    @Test(arguments: Library.allCases)
    func openSSLWorksUntilTheProcessIsGone(_ library: Library) async throws {
        await #expect(processExitsWith: .exitCode(7)) { [library] in
            // It is called last, because it is registered first.
            atexit { _exit(ProcessExitTests.openSSLWorks() ? 7 : 1) }
            library.load()
            exit(0)
        }
    }

    enum Library: String, CaseIterable, Codable {
        case curl
        case crypto

        func load() {
            switch self {
            case .curl:
                var library = CurlLibrary()
                precondition(library.load() == nil)
            case .crypto: precondition(ccrypto_load(CCRYPTO_LIBRARY) == nil)
            }
        }
    }

    /// Whether OpenSSL has not freed its data.
    private static func openSSLWorks() -> Bool {
        guard let library = dlopen(CCRYPTO_LIBRARY, RTLD_NOW | RTLD_NOLOAD),
            let symbol = dlsym(library, "OPENSSL_init_crypto")
        else { return false }
        typealias Initialize = @convention(c) (UInt64, OpaquePointer?) -> Int32
        return unsafeBitCast(symbol, to: Initialize.self)(0, nil) == 1
    }
}
