import Foundation
import JSON
import Locks
import Testing

/// The program, run once for one command.
enum Program {
    struct Result {
        let status: Int32
        let output: String
        let errors: String

        /// The output as JSON.
        var json: JSONValue {
            get throws { try JSONValue(parsing: output) }
        }
    }

    static func run(_ arguments: [String], in directory: String? = nil) async throws -> Result {
        let program = try #require(Products.directory).appending(path: "storehouse")
        return try await Promise.value { done in
            // A thread that waits here is none of those that run the tests.
            DispatchQueue(label: "program").async {
                done(
                    Swift.Result {
                        let process = Process()
                        process.executableURL = program
                        process.arguments = arguments
                        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
                        let (output, errors) = (Pipe(), Pipe())
                        process.standardInput = FileHandle.nullDevice
                        process.standardOutput = output
                        process.standardError = errors
                        try process.run()
                        let text = try output.fileHandleForReading.readToEnd() ?? Data()
                        let problems = try errors.fileHandleForReading.readToEnd() ?? Data()
                        process.waitUntilExit()
                        return Result(
                            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
                            errors: String(decoding: problems, as: UTF8.self))
                    })
            }
        }.get()
    }
}
