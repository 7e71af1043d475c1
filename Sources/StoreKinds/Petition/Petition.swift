package import StoreHosting
import Stores

/// A petition that each user signs once, in the name that the token has.
package struct Petition: Sendable, Equatable {
    package struct Signature: StoreValue, Equatable {
        package var who: String?
        package var text: String
    }

    package var signatures: [Signature] = []

    package init() {}

    package static let sign = Action<Petition, (String?, String)>(
        "sign", "Signs; `signed-already` for a user who has.", .actor("who"), .text("text", 1...80, example: "Yes!"),
        rules: .reject("signed-already") { petition, who, _ in
            who != nil && petition.signatures.contains { $0.who == who }
        }
    ) { petition, who, text in petition.signatures.append(Signature(who: who, text: text)) }

    package static let touch = Action<Petition, String?>("touch", "Signs without a text.", .actor("who")) {
        petition, who in petition.signatures.append(Signature(who: who, text: ""))
    }

    package static let elements = StoreElements<Petition> {
        Member("signatures", \.signatures)
        sign
        touch
    }

    package static let store = StoreDefinition("petition", "Who has signed.", Petition()) { elements }
}

/// A petition as a part.
package struct Petitions: Sendable, Equatable {
    package var first = Petition()

    package init() {}

    package static let store = StoreDefinition("petitions", "A petition in a part.", Petitions()) {
        Part("first", \Petitions.first) { Petition.elements }
    }
}
