import FaultyServices
import Testing

extension Fault: CustomTestStringConvertible {
    public var testDescription: String { "\(method): \(name)" }
}
