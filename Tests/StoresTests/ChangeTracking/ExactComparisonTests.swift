import Locks
import Stores
import Testing

/// Texts are the same only to the byte, although Swift holds two forms of one letter for equal.
@Suite struct ExactComparisonTests {
    private static let composed = "caf\u{e9} with more than fifteen bytes"
    private static let decomposed = "cafe\u{301} with more than fifteen bytes"

    private enum Mark: Equatable {
        case plain
        case named(String, number: Int)
    }

    private final class Label: Equatable {
        let text: String
        init(_ text: String) { self.text = text }
        static func == (one: Label, other: Label) -> Bool { one.text == other.text }
    }

    private struct Book: Equatable {
        var title: String
        var subtitle: String?
        var authors: [String] = []
        var notes: [String: [String]] = [:]
        var tags: Set<String> = []
        var mark = Mark.plain
        var letter: Character = "a"
        var pages = 7
        var weight = 0.5
        var label: Label
    }

    private static func book(_ start: String) -> Book {
        // A new string each time, so that the memory differs.
        func text(_ ending: String) -> String { start + ending }
        return Book(
            title: text("1"), subtitle: text("2"), authors: [text("3"), text("4")], notes: [text("5"): [text("6")]],
            tags: [text("7"), "x"], mark: .named(text("8"), number: 1), label: Label(text("9")))
    }

    @Test func equalCopiesAreTheSame() {
        #expect(ExactComparison.areSame(Self.book(Self.composed), Self.book(Self.composed)))
        #expect(ExactComparison.areSame(Self.book(Self.decomposed), Self.book(Self.decomposed)))
        #expect(!ExactComparison.areSame(Self.book("a"), Self.book("b")))
    }

    @Test func eachTextCountsWhereverItStands() {
        let changes: [(inout Book, String) -> Void] = [
            { $0.title = $1 }, { $0.subtitle = $1 }, { $0.authors[1] = $1 }, { $0.notes = [$1: []] },
            { $0.notes = ["a": [$1]] }, { $0.tags = [$1] }, { $0.mark = .named($1, number: 1) },
            { $0.letter = $1.first { !$0.isASCII } ?? "a" }, { $0.label = Label($1) },
        ]
        for (index, change) in changes.enumerated() {
            var (one, other, same) = (Self.book("x"), Self.book("x"), Self.book("x"))
            change(&one, Self.composed)
            change(&other, Self.decomposed)
            change(&same, Self.composed)
            #expect(one == other, "Swift holds \(index) for equal")
            #expect(!ExactComparison.areSame(one, other), "\(index)")
            #expect(ExactComparison.areSame(one, same), "\(index)")
        }
    }

    @Test func numbersAreComparedAsBefore() {
        #expect(ExactComparison.areSame(7, 7) && !ExactComparison.areSame(7, 8))
        #expect(ExactComparison.areSame(0.0, -0.0) && !ExactComparison.areSame(Double.nan, .nan))
    }

    @Test func anEffectIdIsTheSameOnlyToTheByte() {
        #expect(EffectID("caf\u{e9}.fetch") != EffectID("cafe\u{301}.fetch"))
        #expect(EffectID("caf\u{e9}.fetch") == EffectID("caf\u{e9}.fetch"))
    }
}

/// A table whose ids are texts.
@Suite struct ExactEntityTests {
    private struct Page: Identifiable, Equatable, Sendable {
        var id: String
        var text = "\u{e9}"
    }

    private static let (composed, decomposed) = ("\u{e9}", "e\u{301}")

    @Test func anEditOfTheFormOfALetterIsAChange() {
        var table = EntityTable([Page(id: "a")])
        let changes: [(inout EntityTable<Page>) -> Void] = [
            { $0.update("a") { $0.text = Self.decomposed } }, { $0.updateMany(["a"]) { $0.text = Self.composed } },
            { $0.setAll([Page(id: "a", text: Self.decomposed)]) },
        ]
        for change in changes {
            let before = table.stamp
            change(&table)
            #expect(table.changes(since: before)?.updated == ["a"])
            let after = table.stamp
            change(&table)
            #expect(table.stamp == after, "the same once more")
        }
    }

    @Test func twoFormsOfALetterAreTwoIds() {
        var table = EntityTable([Page(id: Self.composed)])
        #expect(!table.contains(Self.decomposed) && table[Self.decomposed] == nil)
        let added = table.insert(Page(id: Self.decomposed, text: "other"))
        #expect(added && table.count == 2)
        table.update(Self.composed) { $0.text = "changed" }
        #expect(table[Self.decomposed]?.text == "other")
        let before = table.stamp
        table.update(Self.composed) { $0.id = "x" }
        table.remove(Self.decomposed)
        #expect(table.ids.map { $0 } == ["x"])
        #expect(table.changes(since: before)?.removed.count == 2)
        table.setAll([Page(id: Self.composed), Page(id: Self.decomposed)])
        #expect(table.count == 2 && table.index(of: Self.decomposed) == 1)
    }

    @Test func anEntityCanTakeTheOtherFormOfItsId() {
        var table = EntityTable([Page(id: Self.composed)])
        let before = table.stamp
        table.update(Self.composed) { $0.id = Self.decomposed }
        #expect(!table.contains(Self.composed) && table.contains(Self.decomposed))
        #expect(table.changes(since: before)?.inserted.count == 1)
    }
}

/// Observers of a store hear of a change of the form of a letter.
@Suite struct ExactObserverTests {
    private struct Renaming: Reducer {
        func decide(_ action: String, in state: String) -> Decision { .accept }

        func reduce(_ state: inout String, _ action: String) { state = action }
    }

    @Test func observersOfAPartAreToldOfEachForm() {
        let store = Store("\u{e9}", reducer: Renaming())
        let (seen, shown) = (Locked<[[UInt8]]>([]), Locked<[[UInt8]]>([]))
        let whole: @Sendable (String) -> String = { $0 }
        let changes = store.onChange(of: whole) { _, new in seen.withLock { $0.append(Array(new.utf8)) } }
        let part = store.derived(state: whole)
        let observation = part.observe { text in shown.withLock { $0.append(Array(text.utf8)) } }
        for text in ["e\u{301}", "e\u{301}", "\u{e9}"] { store.send(text) }
        #expect(seen.withLock { $0 } == [Array("e\u{301}".utf8), Array("\u{e9}".utf8)])
        #expect(shown.withLock { $0.suffix(2) } == [Array("e\u{301}".utf8), Array("\u{e9}".utf8)])
        #expect(shown.withLock { $0.count } <= 3)
        withExtendedLifetime((changes, observation)) {}
    }
}
