import StoreHosting
import Stores

/// Seals so that a test can tell, and nobody is protected.
struct MirrorSealer: SecretSealer {
    var mark: UInt8 = 1

    func seal(_ clear: [UInt8]) -> [UInt8]? { [mark] + clear.reversed() }

    func open(_ sealed: [UInt8]) -> [UInt8]? { sealed.first == mark ? sealed.dropFirst().reversed() : nil }
}
