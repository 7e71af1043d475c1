import Foundation

/// JSON Patch as RFC 6902 describes it, on the values of Foundation: slow and without anything of the module JSON.
enum PlainPatch {
    struct Failure: Error {}

    /// The text of the patched document, with its members in order.
    static func applying(_ patch: [UInt8], to document: [UInt8]) throws -> String {
        var value = try parsed(document)
        for operation in try parsed(patch) as? [[String: Any]] ?? [] {
            guard let path = (operation["path"] as? String).map(tokens) else { throw Failure() }
            switch operation["op"] as? String {
            case "add": value = try adding(operation["value"], at: path, to: value)
            case "remove": value = try removing(path, from: value).rest
            case "replace":
                value = path.isEmpty ? value : try removing(path, from: value).rest
                value = try adding(operation["value"], at: path, to: value)
            case "move":
                guard let from = (operation["from"] as? String).map(tokens) else { throw Failure() }
                let (moved, rest) = try removing(from, from: value)
                value = try adding(moved, at: path, to: rest)
            default: throw Failure()
            }
        }
        return try text(value)
    }

    static func text(of document: [UInt8]) throws -> String { try text(try parsed(document)) }

    private static func parsed(_ json: [UInt8]) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
    }

    private static func text(_ value: Any) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    private static func tokens(_ pointer: String) -> [String] {
        pointer.components(separatedBy: "/").dropFirst().map {
            $0.replacingOccurrences(of: "~1", with: "/").replacingOccurrences(of: "~0", with: "~")
        }
    }

    private static func adding(_ value: Any?, at path: [String], to document: Any) throws -> Any {
        guard let value else { throw Failure() }
        guard let token = path.first else { return value }
        if var object = document as? [String: Any] {
            if path.count == 1 {
                object[token] = value
            } else {
                guard let inner = object[token] else { throw Failure() }
                object[token] = try adding(value, at: Array(path.dropFirst()), to: inner)
            }
            return object
        }
        guard var array = document as? [Any] else { throw Failure() }
        guard let index = token == "-" ? array.count : Int(token), (0...array.count).contains(index) else {
            throw Failure()
        }
        if path.count == 1 {
            array.insert(value, at: index)
        } else {
            guard index < array.count else { throw Failure() }
            array[index] = try adding(value, at: Array(path.dropFirst()), to: array[index])
        }
        return array
    }

    private static func removing(_ path: [String], from document: Any) throws -> (removed: Any, rest: Any) {
        guard let token = path.first else { throw Failure() }
        let deeper = Array(path.dropFirst())
        if var object = document as? [String: Any] {
            guard let value = object[token] else { throw Failure() }
            if deeper.isEmpty {
                object[token] = nil
                return (value, object)
            }
            let (removed, rest) = try removing(deeper, from: value)
            object[token] = rest
            return (removed, object)
        }
        guard var array = document as? [Any], let index = Int(token), array.indices.contains(index) else {
            throw Failure()
        }
        if deeper.isEmpty { return (array.remove(at: index), array) }
        let (removed, rest) = try removing(deeper, from: array[index])
        array[index] = rest
        return (removed, array)
    }
}
