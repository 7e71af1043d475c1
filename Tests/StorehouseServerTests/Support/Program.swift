import Foundation
import JSON
import ProcessTesting
import Testing

/// The program, run once for one command.
enum Program {
    static func run(_ arguments: [String], in directory: String? = nil) async throws -> ProgramResult {
        let program = try #require(Products.directory).appending(path: "storehouse").path
        return try await ProgramResult.of(program, arguments, in: directory)
    }
}

extension ProgramResult {
    /// The output as JSON.
    var json: JSONValue {
        get throws { try JSONValue(parsing: output) }
    }
}
