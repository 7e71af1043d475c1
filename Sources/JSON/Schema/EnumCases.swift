/// The cases of enums without associated values, also of those that are not `CaseIterable`.
///
/// Swift's synthesized `Codable` names the cases of an enum in a private enum of coding keys, which only this way can
/// list. It reads the type's metadata, whose layout is part of Swift's stable ABI (docs/ABI/TypeMetadata.rst).
enum EnumCases {
    private static let enumMetadata = 0x201
    private static let enumDescriptor: UInt32 = 18

    /// All values of the type; nil if it is no such enum.
    static func all<Value>(of type: Value.Type) -> [Value]? {
        guard let count = count(of: type) else { return nil }
        return (0..<count).map { tag in
            withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { memory in
                // An enum of one case has no bytes, and one of up to 256 cases has one: the number of the case.
                memory.storeBytes(of: UInt8(tag), as: UInt8.self)
                return memory.load(as: type)
            }
        }
    }

    private static func count<Value>(of type: Value.Type) -> Int? {
        let metadata = unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
        guard metadata.load(as: Int.self) == enumMetadata else { return nil }
        let descriptor = metadata.load(fromByteOffset: MemoryLayout<Int>.size, as: UnsafeRawPointer.self)
        guard descriptor.load(as: UInt32.self) & 0x1F == enumDescriptor else { return nil }
        let casesWithPayload = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
        let count = Int(descriptor.load(fromByteOffset: 24, as: UInt32.self))
        guard casesWithPayload == 0, (1...256).contains(count), MemoryLayout<Value>.alignment == 1,
            MemoryLayout<Value>.size == (count == 1 ? 0 : 1)
        else { return nil }
        return count
    }
}

extension JSONSchema {
    /// The schema of an enum whose cases are encoded as strings or integers; nil for any other type.
    static func ofCases<Value>(of type: Value.Type) -> (schema: JSONSchema, first: Value)? {
        let cases = EnumCases.all(of: type) ?? (type as? any CaseIterable.Type).map { listed($0) as? [Value] ?? [] }
        guard let cases, let first = cases.first else { return nil }
        let encoded = cases.compactMap(encoding)
        guard encoded.count == cases.count else { return nil }
        let texts = encoded.compactMap(\.asString)
        if texts.count == cases.count { return (.enumeration(texts), first) }
        let numbers = encoded.compactMap(\.asInteger)
        guard numbers.count == cases.count, let least = numbers.min(), let most = numbers.max() else { return nil }
        return (.integer(least...most), first)
    }

    private static func listed<Cases: CaseIterable>(_ type: Cases.Type) -> [Any] { Array(type.allCases) }

    private static func encoding(_ value: Any) -> JSONValue? {
        if let value = value as? any Encodable { return try? JSONValue(encoding: value) }
        guard let value = value as? any RawRepresentable else { return nil }
        return (value.rawValue as? any Encodable).flatMap { try? JSONValue(encoding: $0) }
    }
}
