extension JSONPatch {
    /// Reads the JSON form: an array of operations. Members that RFC 6902 does not name are passed over, as it wants.
    public init(_ json: JSONValue) throws(JSONPatchError) {
        guard case .array(let elements) = json else { throw JSONPatchError(.notAList, operation: nil) }
        var operations: [Operation] = []
        operations.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do throws(JSONPatchError.Kind) {
                operations.append(try Operation(element))
            } catch {
                throw JSONPatchError(error, operation: index)
            }
        }
        self.init(operations)
    }
}

extension JSONPatch.Operation {
    fileprivate init(_ json: JSONValue) throws(JSONPatchError.Kind) {
        switch json["op"]?.asString {
        case "add": self = .add(try Self.path(json), try Self.value(json))
        case "remove": self = .remove(try Self.path(json))
        case "replace": self = .replace(try Self.path(json), try Self.value(json))
        case "move": self = .move(from: try Self.pointer("from", json), to: try Self.path(json))
        case "copy": self = .copy(from: try Self.pointer("from", json), to: try Self.path(json))
        case "test": self = .test(try Self.path(json), try Self.value(json))
        default: throw .unknownOperation
        }
    }

    private static func value(_ json: JSONValue) throws(JSONPatchError.Kind) -> JSONValue {
        guard let value = json["value"] else { throw .missingMember("value") }
        return value
    }

    private static func path(_ json: JSONValue) throws(JSONPatchError.Kind) -> JSONPointer {
        try pointer("path", json)
    }

    private static func pointer(_ name: String, _ json: JSONValue) throws(JSONPatchError.Kind) -> JSONPointer {
        guard let text = json[name]?.asString else { throw .missingMember(name) }
        do {
            return try JSONPointer(text)
        } catch {
            throw .malformedPointer(error)
        }
    }
}
