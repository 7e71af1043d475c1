// Measures stores in a process of its own: `storesbench CASE [MILLISECONDS]` prints its numbers as one line of JSON.

let cases: [String: (Stopwatch) -> Numbers] = [
    "dispatch": measureDispatch,
    "middleware": measureMiddleware,
    "threads": measureThreads,
    "slices": measureSlices,
    "tasks": measureTasks,
    "declarations": measureDeclarations,
    "tokens": measureTokens,
]

let arguments = CommandLine.arguments.dropFirst()
guard let measure = arguments.first.flatMap({ cases[$0] }), let milliseconds = Int(arguments.dropFirst().first ?? "500")
else {
    fatalError("storesbench \(cases.keys.sorted().joined(separator: "|")) [MILLISECONDS]")
}
print(measure(Stopwatch(milliseconds: max(milliseconds, 5))).json)
