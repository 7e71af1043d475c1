package import JSON
package import Stores

/// Asks the animal API for a name.
package struct AnimalService: Sendable {
    /// How many code points a name may have.
    package static let longestName = 200

    private let client: any RemoteClient
    private let pointer: JSONPointer

    /// - Parameter pointer: where the name stands in the JSON that the API answers with.
    package init(client: any RemoteClient, pointer: JSONPointer = JSONPointer(tokens: ["animal"])) {
        self.client = client
        self.pointer = pointer
    }

    func animal() async throws(RemoteFailure) -> String {
        let answer = try await client.call(RemoteRequest())
        guard answer.isSuccess else {
            throw RemoteFailure(.badStatus, "the animal API answered with status \(answer.status)")
        }
        return try name(in: answer.body)
    }

    private func name(in body: [UInt8]) throws(RemoteFailure) -> String {
        let json: JSONValue
        do throws(JSONSyntaxError) {
            json = try JSONValue(parsing: body)
        } catch {
            throw RemoteFailure(.badBody, "the animal API's answer is not JSON")
        }
        guard let name = pointer.value(in: json)?.asString else {
            throw RemoteFailure(.badBody, "the animal API's answer has no text at \(pointer)")
        }
        guard name.unicodeScalars.count <= Self.longestName else {
            throw RemoteFailure(.badBody, "the animal API's name is longer than \(Self.longestName) code points")
        }
        return name
    }
}
