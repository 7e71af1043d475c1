import JSON
package import RemoteServices
import Stores

/// The client of the animal API.
package struct AnimalService: Sendable {
    /// The maximum length of a name in code points.
    package static let maxNameLength = 200

    private let client: any RemoteClient
    private let pointer: JSONPointer

    /// The client that a server provides.
    package init(_ clients: RemoteClients) {
        client = clients[Self.remote.name]
        pointer = clients.value(of: Self.pointerSetting, for: Self.remote.name)
    }

    func animal() async throws(RemoteFailure) -> String {
        try await client.call(RemoteRequest()) { answer throws(RemoteFailure) in
            let name = try answer.text(at: pointer)
            guard name.unicodeScalars.count <= Self.maxNameLength else {
                throw RemoteFailure(.badBody, "the name in the answer is longer than \(Self.maxNameLength) code points")
            }
            return name
        }
    }
}

extension AnimalService {
    private static let pointerSetting = RemoteService.Setting.pointer(
        "pointer", JSONPointer(tokens: ["animal"]), "the place of the animal's name in the response (JSON Pointer)")

    /// The animal API as a configuration has it. Its demo names a random animal.
    package static let remote = RemoteService("animal", settings: [pointerSetting]) { request in
        guard request.method == "GET", request.target == nil else { return .json([:], status: 404) }
        let animals = ["Cat", "Dog", "Crow", "Horse", "Iguana", "Cow", "Racoon"]
        return .json(["animal": .string(animals.randomElement() ?? "")])
    }
}
