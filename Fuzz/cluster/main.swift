import ClusterSimulation
import Platform

// Runs the simulation of many nodes; see script/simulate.

var options = ["--seed": 1, "--runs": 1, "--steps": 1_000_000, "--nodes": 0, "--sessions": 0]
var rules = Rules()
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
    let value = arguments.popFirst()
    if name == "--mutant", let mutant = value.flatMap(Mutant.init) {
        rules = mutant.rules
    } else if let number = value.flatMap({ Int($0) }), number >= 0, options[name] != nil {
        options[name] = number
    } else {
        print("\(name) \(value ?? "") is not an option; see script/simulate")
        exit(2)
    }
}

let (nodes, sessions, first) = (options["--nodes"] ?? 0, options["--sessions"] ?? 0, UInt64(options["--seed"] ?? 1))
for seed in first..<first + UInt64(options["--runs"] ?? 1) {
    let settings =
        nodes > 0 && sessions > 0
        ? Simulation.Settings(seed: seed, nodeCount: nodes, sessionCount: sessions, rules: rules)
        : Simulation.Settings(seed: seed, rules: rules)
    do throws(Violation) {
        print("seed \(seed): \(try Simulation(settings).run(steps: options["--steps"] ?? 0))")
    } catch {
        print(error)
        exit(1)
    }
}
