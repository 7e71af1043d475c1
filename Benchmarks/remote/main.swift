// Measures `StorehouseClient` in a process of its own: `clientbench CASE [COUNT]` prints its numbers as one line of JSON. The server of
// the case `action` is at STOREHOUSE_URL.

let cases: [String: @MainActor (Int) async throws -> [String: Double]] = [
    "action": measureActions,
    "patches": measurePatches,
    "rebase": measureRebase,
    "memory": measureMemory,
]

let arguments = CommandLine.arguments.dropFirst()
guard let measure = arguments.first.flatMap({ cases[$0] }), let count = Int(arguments.dropFirst().first ?? "1000")
else {
    fatalError("clientbench \(cases.keys.sorted().joined(separator: "|")) [COUNT]")
}
let numbers = try await measure(max(count, 1))
print("{" + numbers.map { "\"\($0)\":\($1)" }.sorted().joined(separator: ",") + "}")
