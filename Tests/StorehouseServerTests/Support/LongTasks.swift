import JSON

extension JSONValue {
    /// A batch that adds tasks to a planner. A title has as many characters as it may, and 4000 bytes.
    static func longTasks(_ count: Int) -> JSONValue {
        let title = String(repeating: "🇪🇺", count: 500)
        return .array(Array(repeating: ["type": "tasks/add", "payload": ["title": .string(title)]], count: count))
    }
}
