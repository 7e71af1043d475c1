import StoreHosting
import Stores

/// A reversible transformation that tests can recognize. It protects nothing.
final class MirrorSealer: SecretSealer {
    private let mark: UInt8

    init(mark: UInt8 = 1) { self.mark = mark }

    func seal(_ clear: [UInt8]) -> [UInt8]? { [mark] + clear.reversed() }

    func open(_ sealed: [UInt8]) -> [UInt8]? { sealed.first == mark ? sealed.dropFirst().reversed() : nil }
}
