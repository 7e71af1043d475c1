import Foundation
import JSON
import ProcessTesting
import Testing

/// The program, run once for one command.
enum Program {
    /// - Parameter variables: beside those of this process.
    static func run(
        _ arguments: [String], with variables: [String: String] = [:], in directory: String? = nil
    ) async throws -> ProgramResult {
        let program = try #require(Products.directory).appending(path: "storehouse").path
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        return try await ProgramResult.of(program, arguments, environment: environment, in: directory)
    }
}

extension ProgramResult {
    /// The output as JSON.
    var json: JSONValue {
        get throws { try JSONValue(parsing: output) }
    }
}
