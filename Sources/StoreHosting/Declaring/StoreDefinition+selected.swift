public import JSON
public import Stores

extension StoreDefinition {
    /// The value of a selector for a reader, as JSON, for tests; nil if the definition has no selector of that name.
    public func selected(_ name: String, of state: State, for reader: Actor = .anonymous) -> JSONValue? {
        guard let selector = selector(name) else { return nil }
        var json = JSONWriter()
        selector.write(state, reader, &json)
        return try? JSONValue(parsing: json.finish(), maximumDepth: JSONValue.maxDepth)
    }
}
