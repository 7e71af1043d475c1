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
        try await client.call(RemoteRequest()) { answer throws(RemoteFailure) in
            let name = try answer.text(at: pointer)
            guard name.unicodeScalars.count <= Self.longestName else {
                throw RemoteFailure(.badBody, "the name in the answer is longer than \(Self.longestName) code points")
            }
            return name
        }
    }
}
