import StoreHosting
import Stores
import Testing

private struct Hall: Sendable, Equatable {
    var guests: [String] = []
    var isOpen = true
}

private typealias Definition = StoreDefinition<Hall>

private func book(
    _ summary: String = "Books a seat.", field: String = "guest", described: String = "The name.", longest: Int = 80,
    reason: Rejection = "sold-out", audience: ActionAudience = .client
) -> Action<Hall, String> {
    Action(
        "book", summary, Field.text(field, 1...longest, example: "Ada").described(described), audience: audience,
        rules: .reject(reason) { hall, _ in hall.guests.count == 3 }
    ) { hall, guest in hall.guests.append(guest) }
}

private let clear = Action<Hall, Void>("clear", "Frees all seats.") { hall in hall.guests = [] }

private func hall(
    _ summary: String = "A small hall.", _ book: Action<Hall, String> = book(), migrations: [Definition.Migration] = []
) -> StoreKind {
    Definition("hall", summary, Hall(), migrations: migrations) {
        Member("guests", \.guests)
        Member("isOpen", \.isOpen)
        book
        clear
        Selector("count", "The number of guests.") { $0.guests.count }
    }.kind
}

@Suite struct KindVersionTests {
    /// Nobody changes the algorithm unnoticed: apps keep the versions that they were compiled with.
    @Test func theVersionOfADeclarationIsFixed() {
        #expect(hall().version == "1.1yleqk8")
    }

    @Test func textsForPeopleChangeNothing() {
        #expect(hall("Another summary.").version == hall().version)
        #expect(hall("", book("Takes a seat.", described: "Who comes.")).version == hall().version)
    }

    @Test func theOrderChangesNothing() {
        let turned = Definition("hall", "A small hall.", Hall()) {
            Selector("count", "The number of guests.") { $0.guests.count }
            clear
            book()
            Member("isOpen", \.isOpen)
            Member("guests", \.guests)
        }
        #expect(turned.kind.version == hall().version)
    }

    @Test func allThatAProgramDependsOnChangesIt() {
        let others = [
            hall("", book(field: "name")), hall("", book(longest: 81)), hall("", book(reason: "full")),
            hall("", book(audience: .role("clerk"))), hall("", book(audience: .internal)),
            hall(migrations: [.raw { _, _ in }]),
            Definition("hall", "", Hall()) {
                Member("guests", \.guests)
                book()
                clear
                Selector("count", "The number of guests.") { $0.guests.count }
            }.kind,
            Definition("hall", "", Hall()) {
                Member("guests", \.guests)
                Member("isOpen", \.isOpen)
                book()
                clear
            }.kind,
            Definition("hall", "", Hall()) {
                Member("guests", \.guests)
                Member("isOpen", \.isOpen)
                book()
                Selector("count", "The number of guests.") { $0.guests.count }
            }.kind,
        ]
        #expect(Set(others.map(\.version) + [hall().version]).count == others.count + 1)
        #expect(hall(migrations: [.raw { _, _ in }]).version.hasPrefix("2."))
    }

    /// A member of this name is no text for people.
    @Test func aMemberNamedDescriptionCounts() {
        let named = hall("", book(field: "description"))
        #expect(named.version != hall("", book(field: "default")).version)
        #expect(named.version == hall("", book(field: "description", described: "Other.")).version)
    }
}
