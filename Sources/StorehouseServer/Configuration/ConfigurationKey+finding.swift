import JSON
import Stores

extension ConfigurationKey {
    private static let byPath = Dictionary(all.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })

    /// The paths of all objects that keys stand in.
    private static let sections: Set<String> = Set(
        all.flatMap { key in
            key.path.indices.filter { key.path[$0] == "." }.map { String(key.path[..<$0]) }
        })

    static func at(_ path: String) -> ConfigurationKey? {
        byPath[path]
    }

    static func isSection(_ path: String) -> Bool {
        sections.contains(path)
    }

    /// The path that somebody who wrote this one most likely meant: of a section where the value is an object.
    static func nearest(to path: String, value: JSONValue) -> String {
        let candidates = value.asObject == nil ? all.map(\.path) : sections.sorted()
        return nearest(in: candidates) { candidate in
            // A key in the wrong section is as near as one that is misspelt.
            min(editDistance(candidate, path), editDistance(lastName(of: candidate), lastName(of: path)) + 1)
        }
    }

    /// The variable that somebody who wrote this one most likely meant, with the key that it sets.
    static func nearest(toVariable variable: String) -> String {
        let names = all.map { (variable: $0.variable, shown: "\($0.variable) (\($0.path))") }
        let wanted = variable.uppercased()
        return names.min { editDistance($0.variable, wanted) < editDistance($1.variable, wanted) }?.shown ?? ""
    }

    private static func nearest(in candidates: [String], distance: (String) -> Int) -> String {
        candidates.map { (path: $0, distance: distance($0)) }.min { $0.distance < $1.distance }?.path ?? ""
    }

    private static func lastName(of path: String) -> String {
        path.split(separator: ".").last.map(String.init) ?? ""
    }
}
