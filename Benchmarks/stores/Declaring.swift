import DeclaredTallies
import JSON
import StoreHosting
import Stores

/// Measures the same hosted store, a count to which an action adds, declared in three ways: by hand, as a definition, and with
/// `Codable`. A dispatch begins with the parsed JSON of the action, and ends with the commit, its patch and the whole state as JSON.
func measureDeclarations(_ stopwatch: Stopwatch) -> Numbers {
    var numbers: Numbers = [:]
    for (name, kind) in [("byHand", byHand), ("defined", defined), ("codable", codable)] {
        let store = kind.makeStore()
        let action: JSONValue = ["type": .string("\(kind.name)/add"), "payload": ["step": 1]]
        let dispatch: (Int) -> Void = { times in
            for _ in 0..<times { store.dispatch(action, DispatchOptions()) { _ in } }
        }
        numbers[name] = stopwatch.nanoseconds(dispatch)
        numbers[name + "Allocations"] = Stopwatch.allocations(dispatch)
        precondition(
            store.read(.pointer(JSONPointer(tokens: ["count"]))).json == Array(String(store.revision).utf8),
            "a dispatch was lost")
    }
    return numbers
}
