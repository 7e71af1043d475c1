// Uses the client that openapi-generator generates for Swift.
//
//     program URL
import Foundation
import StorehouseClient

/// What the server sent, if it is not as expected.
struct Unexpected: Error {
    let value: String

    init(_ value: Any) { self.value = String(describing: value) }
}

func expect(_ isTrue: Bool, _ value: @autoclosure () -> Any) throws {
    guard isTrue else { throw Unexpected(value()) }
}

let coding = CodableHelper()

/// A value that is any JSON, such as a state, as a type of its own.
func decode<Value: Decodable>(_ type: Value.Type, from json: JSONValue?) throws -> Value {
    try coding.jsonDecoder.decode(type, from: coding.jsonEncoder.encode(json))
}

func create(_ kind: String) async throws -> CreatedSession {
    try await SessionsAPI.createSession(sessionRequest: SessionRequest(store: .init(rawValue: kind)))
}

/// The problem document with which the server refuses a request.
func problem(of error: ErrorResponse) throws -> Problem {
    guard case .error(_, let body?, _, _) = error else { throw error }
    return try coding.jsonDecoder.decode(Problem.self, from: body)
}

func dispatchExamples() async throws -> Int {
    var count = 0
    for store in try await ServerAPI.readStores().stores {
        let session = try await create(store.name)
        for action in store.actions where action.audience == "client" {
            let request = try decode(DispatchRequest.self, from: action.example)
            do throws(ErrorResponse) {
                _ = try await ActionsAPI.dispatch(id: session.id, dispatchRequest: request)
            } catch {
                let problem = try problem(of: error)
                try expect(problem.code == .actionRejected, problem)
            }
            count += 1
        }
    }
    return count
}

func readTypedState() async throws {
    let session = try await create("app")
    let increment = CounterIncrement(type: .counterSlashIncrement, payload: CounterIncrementPayload(by: 1_000_000))
    let add = TasksAdd(type: .tasksSlashAdd, payload: TasksAddPayload(title: "Buy tea"))
    let answer = try await ActionsAPI.dispatch(
        id: session.id, dispatchRequest: .typeArrayOfAction([.typeCounterIncrement(increment), .typeTasksAdd(add)]))
    try expect(answer?.revision == 2, answer as Any)
    let read = try await SessionsAPI.readState(id: session.id)
    let state = try decode(AppState.self, from: read.state)
    try expect(state.counter.count == 1_000_000, state)
    try expect(state.tasks.entities["1"]?.title == "Buy tea", state)
    try await SessionsAPI.deleteSession(id: session.id)
    do throws(ErrorResponse) {
        _ = try await SessionsAPI.readSession(id: session.id)
    } catch {
        let problem = try problem(of: error)
        try expect(problem.code == .sessionEnded, problem)
        return
    }
    throw Unexpected("The session has not ended.")
}

StorehouseClientAPIConfiguration.shared.basePath = CommandLine.arguments[1]
try await readTypedState()
print(try await dispatchExamples(), "actions")
