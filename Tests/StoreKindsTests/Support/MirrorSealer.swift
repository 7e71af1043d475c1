import StoreHosting
import Stores

/// A reversible transformation that tests can recognize. It protects nothing.
struct MirrorSealer: SecretSealer {
    var mark: UInt8 = 1

    func seal(_ clear: [UInt8]) -> [UInt8]? { [mark] + clear.reversed() }

    func open(_ sealed: [UInt8]) -> [UInt8]? { sealed.first == mark ? sealed.dropFirst().reversed() : nil }
}
