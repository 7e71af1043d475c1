import Stores
import Testing

/// Entities that are equal after a change.
@Suite struct UnchangedEntityTests {
    private struct Page: Identifiable, Sendable, Equatable {
        var id: Int
        var title: String
        var number = 0.0
        var subtitle: String?
    }

    private struct Chapter: Identifiable, Sendable, Equatable {
        var id: Int
        var pages: [String]
    }

    private enum ByID: EntityOrder {
        static func areInOrder(_ first: Page, _ second: Page) -> Bool { first.id < second.id }
    }

    private typealias Change = @Sendable (inout EntityTable<Page>, Page) -> Void
    private typealias SortedChange = @Sendable (inout SortedEntityTable<ByID>, Page) -> Void

    /// A function that knows of no equality.
    private static func generic<Entity: Identifiable & Sendable>(
        _ table: inout EntityTable<Entity>, _ entity: Entity, _ verb: Int
    ) where Entity.ID: Sendable {
        switch verb {
        case 0: table.update(entity.id) { $0 = entity }
        case 1: table.updateMany([entity.id]) { $0 = entity }
        case 2: table.upsert(entity)
        case 3: table.upsert(entity) { $0 = $1 }
        case 4: table.upsertMany([entity])
        case 5: table.upsertMany([entity]) { $0 = $1 }
        case 6: table[entity.id] = entity
        case 7: table.setAll([entity])
        default: table.changeElement(of: entity.id) { $0 = entity }
        }
    }

    /// Every method that changes the entity with the id 1, by name.
    private static let verbs: [(name: String, change: Change)] = [
        ("update", { $0.update(1, $1.assign) }), ("updateMany", { $0.updateMany([1], $1.assign) }),
        ("upsert", { $0.upsert($1) }), ("upsert merging", { $0.upsert($1) { $0 = $1 } }),
        ("upsertMany", { $0.upsertMany([$1]) }), ("upsertMany merging", { $0.upsertMany([$1]) { $0 = $1 } }),
        ("subscript", { $0[1] = $1 }), ("setAll", { $0.setAll([$1]) }),
    ]

    /// These methods, called by a function that knows of no equality.
    private static let genericVerbs: [(name: String, change: Change)] = (0...8).map { verb in
        let change: Change = { generic(&$0, $1, verb) }
        return ("generic \(verb)", change)
    }

    private static let sortedVerbs: [(name: String, change: SortedChange)] = [
        ("update", { $0.update(1, $1.assign) }), ("updateMany", { $0.updateMany([1], $1.assign) }),
        ("upsert", { $0.upsert($1) }), ("upsert merging", { $0.upsert($1) { $0 = $1 } }),
        ("upsertMany", { $0.upsertMany([$1]) }), ("subscript", { $0[1] = $1 }), ("setAll", { $0.setAll([$1]) }),
        ("changeElement", { $0.changeElement(of: 1, $1.assign) }),
    ]

    /// Whether each method keeps the stamp of a table that holds `old`, when it changes it to `new`.
    private func keepsStamp(_ old: Page, _ new: Page) -> [String: Bool] {
        var kept: [String: Bool] = [:]
        for (name, change) in Self.verbs + Self.genericVerbs {
            var table = EntityTable([old])
            let before = table.stamp
            change(&table, new)
            kept[name] = table.stamp == before
            #expect(table.changes(since: before)?.updated == (table.stamp == before ? [] : [1]), "\(name)")
            #expect(table.map(\.title.utf8.count) == [new.title.utf8.count], "\(name)")
        }
        for (name, change) in Self.sortedVerbs {
            var table = SortedEntityTable<ByID>([old])
            let before = table.stamp
            change(&table, new)
            kept["sorted \(name)"] = table.stamp == before
            #expect(table.map(\.title.utf8.count) == [new.title.utf8.count], "\(name)")
        }
        return kept
    }

    private static let pages = [
        Page(id: 1, title: "Emma"), Page(id: 1, title: "A title that is too long to be stored in place", number: 0.5),
        Page(id: 1, title: "", subtitle: "A subtitle that is too long to be stored in place"),
    ]

    @Test(arguments: pages.indices) func anEqualEntityKeepsTheStamp(_ index: Int) {
        let page = Self.pages[index]
        // Texts of their own, with other places in memory.
        let copy = Page(
            id: 1, title: String(decoding: Array(page.title.utf8), as: UTF8.self), number: page.number,
            subtitle: page.subtitle.map { String(decoding: Array($0.utf8), as: UTF8.self) })
        #expect(keepsStamp(page, copy).filter { !$0.value }.keys.sorted() == [])
    }

    @Test func anotherEntityTakesANewStamp() {
        #expect(keepsStamp(Self.pages[0], Page(id: 1, title: "Persuasion")).filter(\.value).keys.sorted() == [])
    }

    @Test(arguments: ["caf\u{e9}", "a long title that ends in a caf\u{e9}"])
    func aTextWithOtherBytesIsAChange(_ title: String) {
        let other = title.replacing("\u{e9}", with: "e\u{301}")
        #expect(title == other)
        #expect(keepsStamp(Page(id: 1, title: title), Page(id: 1, title: other)).filter(\.value).keys.sorted() == [])
    }

    @Test func anOptionalTextWithOtherBytesIsAChange() {
        let (old, new) = (Page(id: 1, title: "", subtitle: "\u{e9}"), Page(id: 1, title: "", subtitle: "e\u{301}"))
        #expect(old == new)
        #expect(keepsStamp(old, new).filter(\.value).keys.sorted() == [])
    }

    @Test func minusZeroIsAChange() {
        let (old, new) = (Page(id: 1, title: "", number: 0), Page(id: 1, title: "", number: -0.0))
        #expect(old == new)
        #expect(keepsStamp(old, new).filter(\.value).keys.sorted() == [])
    }

    @Test func anEntityWithoutEqualityAlwaysCountsAsChanged() {
        struct Plain: Identifiable, Sendable {
            let id: Int
        }
        var table = EntityTable([Plain(id: 1)])
        let before = table.stamp
        table[1] = Plain(id: 1)
        #expect(table.changes(since: before)?.updated == [1])
    }

    @Test func equalCollectionsInsideKeepTheStampWhenTheEntityIsReplaced() {
        var table = EntityTable([Chapter(id: 1, pages: ["a", "b"])])
        let before = table.stamp
        table.upsert(Chapter(id: 1, pages: ["a"] + ["b"]))
        table[1] = Chapter(id: 1, pages: ["a"] + ["b"])
        table.setAll([Chapter(id: 1, pages: ["a"] + ["b"])])
        #expect(table.stamp == before)
        table.upsert(Chapter(id: 1, pages: ["a", "c"]))
        #expect(table.stamp != before)
    }

    @Test func anElementThatAReducerLeavesEqualKeepsTheStamp() {
        let store = Store(
            EntityTable([Page(id: 1, title: "Emma")]),
            reducer: ForEach<EntityTable<Page>, Reduce<Page, String>>(Reduce { $0.title = $1 }))
        let before = store.state.stamp
        store.dispatch(ElementAction(1, "Emma"))
        #expect(store.state.stamp == before)
        store.dispatch(ElementAction(1, "Persuasion"))
        #expect(store.state.stamp != before)
    }
}

extension Identifiable {
    /// Replaces another entity.
    fileprivate var assign: (inout Self) -> Void { { $0 = self } }
}
