import Stores
import Testing

/// How often a commit looks at the parts that have effects.
@Suite struct LivePartsTests {
    private struct Cell: Sendable, Identifiable {
        let id: Int
        var value = 0
    }

    /// A table that records each look at an element.
    private struct CountedTable: TrackedElements {
        var table: EntityTable<Cell>
        let looks: Recorder<Int>

        var elementKeys: [Int] { table.elementKeys }
        var stamp: ChangeToken { table.stamp }

        func element(of key: Int) -> Cell? {
            looks.record(key)
            return table[key]
        }

        mutating func changeElement(of key: Int, _ change: (inout Cell) -> Void) { table.update(key, change) }

        func changedKeys(since stamp: ChangeToken) -> [Int]? { table.changedKeys(since: stamp) }
    }

    /// Equal elements in a collection that does not tell what has changed.
    private struct PlainCells: KeyedElements, Sendable {
        var counted: CountedTable

        var elementKeys: [Int] { counted.elementKeys }

        func element(of key: Int) -> Cell? { counted.element(of: key) }

        mutating func changeElement(of key: Int, _ change: (inout Cell) -> Void) {
            counted.changeElement(of: key, change)
        }
    }

    private struct Sheet: Sendable {
        var table: CountedTable
        var plain: PlainCells
        var other = 0
    }

    private enum CellAction: Sendable { case start, increment }

    private enum SheetAction: Sendable {
        case table(ElementAction<Int, CellAction>)
        case plain(ElementAction<Int, CellAction>)
        case other
        case remove(Int)
    }

    private let scheduler = TestScheduler()
    private let tableLooks = Recorder<Int>()
    private let plainLooks = Recorder<Int>()
    private let cancelled = Recorder<EffectID>()

    private func store(_ count: Int, effects: Int = 1) -> Store<Sheet, SheetAction> {
        let cell = Reduce<Cell, CellAction> { cell, action in
            if action == .increment { cell.value += 1 }
        }
        .with(
            MiddlewareFunction { commit in
                guard commit.action == .start else { return .none }
                return .merge(
                    (0..<effects).map { number in
                        .run("\(number)", .parallel) {
                            await Gate().wait()
                            return nil
                        }
                    })
            })
        func path(
            _ embed: @escaping @Sendable (ElementAction<Int, CellAction>) -> SheetAction,
            _ extract: @escaping @Sendable (SheetAction) -> ElementAction<Int, CellAction>?
        ) -> CasePath<SheetAction, ElementAction<Int, CellAction>> {
            CasePath(embed: embed, extract: { if let action = extract($0) { $1(action) } })
        }
        let cells = EntityTable((0..<count).map { Cell(id: $0) })
        return Store(
            Sheet(
                table: CountedTable(table: cells, looks: tableLooks),
                plain: PlainCells(counted: CountedTable(table: cells, looks: plainLooks))),
            reducer: Compose {
                Scope(
                    \.table, path({ .table($0) }, { if case .table(let action) = $0 { action } else { nil } }),
                    ForEach(cell))
                Scope(
                    \.plain, path({ .plain($0) }, { if case .plain(let action) = $0 { action } else { nil } }),
                    ForEach(cell))
                Reduce<Sheet, SheetAction> { sheet, action in
                    switch action {
                    case .other: sheet.other += 1
                    case .remove(let id):
                        sheet.table.table.remove(id)
                        sheet.plain.counted.table.remove(id)
                    case .table, .plain: break
                    }
                }
            },
            environment: scheduler.environment(effectLimit: 10_000) { [cancelled] event in
                if event.phase == .cancelled { cancelled.record(event.effect) }
            })
    }

    private func looks(_ recorder: Recorder<Int>, _ body: () -> Void) -> Int {
        let before = recorder.values.count
        body()
        return recorder.values.count - before
    }

    @Test(arguments: [10, 1000]) func anActionElsewhereLooksAtNoElementOfATable(_ count: Int) {
        let store = store(count)
        for id in 0..<count { store.dispatch(.table(ElementAction(id, .start))) }
        #expect(looks(tableLooks) { for _ in 1...3 { store.dispatch(.other) } } == 0)
        store.end()
    }

    @Test func startingEffectsInManyRowsLooksAtEachRowAFewTimes() {
        let store = store(1000)
        let few = looks(tableLooks) { for id in 0..<100 { store.dispatch(.table(ElementAction(id, .start))) } }
        let many = looks(tableLooks) { for id in 100..<1000 { store.dispatch(.table(ElementAction(id, .start))) } }
        #expect(many <= 9 * few)
        #expect(few <= 100 * 4)
        store.end()
    }

    @Test func aChangeOfOneRowLooksAtThatRow() {
        let store = store(1000)
        for id in 0..<1000 { store.dispatch(.table(ElementAction(id, .start))) }
        #expect(looks(tableLooks) { store.dispatch(.table(ElementAction(7, .increment))) } <= 4)
        #expect(Set(tableLooks.values.suffix(2)) == [7])
        store.end()
    }

    @Test func aRemovedRowEndsItsEffectsAndNoOthers() {
        let store = store(20, effects: 2)
        for id in 0..<20 { store.dispatch(.table(ElementAction(id, .start))) }
        store.dispatch(.remove(7))
        #expect(cancelled.values == ["0", "1"])
        #expect(store.core.contents.withLock { $0.pointee.pending?.effects.count } == 38)
        store.end()
    }

    @Test func anElementOfAnotherCollectionIsLookedAtOnceHoweverManyEffectsItHas() {
        let store = store(20, effects: 3)
        for id in 0..<20 { store.dispatch(.plain(ElementAction(id, .start))) }
        #expect(looks(plainLooks) { store.dispatch(.other) } == 20)
        store.dispatch(.remove(7))
        #expect(cancelled.values == ["0", "1", "2"])
        #expect(looks(plainLooks) { store.dispatch(.other) } == 19)
        store.end()
    }

    @Test func partsWhoseEffectsHaveEndedAreForgotten() {
        let store = store(20)
        for id in 0..<20 { store.dispatch(.plain(ElementAction(id, .start))) }
        store.cancel(id: "0")
        store.dispatch(.plain(ElementAction(3, .start)))
        #expect(looks(plainLooks) { store.dispatch(.other) } <= 2)
        store.end()
    }

    /// A row whose id counts how often it is read. A look at a row reads it.
    private struct Row: Sendable, Identifiable {
        let number: Int
        let looks: Recorder<Int>
        var value = 0

        var id: Int {
            looks.record(number)
            return number
        }
    }

    private struct Lists: Sendable {
        var array: [Row]
        var dictionary: [String: Row]
        var other = 0
    }

    private enum ListAction: Sendable {
        case array(ElementAction<Int, CellAction>)
        case dictionary(ElementAction<String, CellAction>)
        case other
        case replace(Int)
        case removeFirst
    }

    private func lists(_ count: Int, _ looks: Recorder<Int>) -> Store<Lists, ListAction> {
        let row = Reduce<Row, CellAction> { row, action in
            if action == .increment { row.value += 1 }
        }
        .with(
            MiddlewareFunction { commit in
                guard commit.action == .start else { return .none }
                return .run("\(commit.state.number)") {
                    await Gate().wait()
                    return nil
                }
            })
        let rows = (0..<count).map { Row(number: $0, looks: looks) }
        return Store(
            Lists(array: rows, dictionary: Dictionary(uniqueKeysWithValues: rows.map { ("\($0.number)", $0) })),
            reducer: Compose {
                Scope(
                    \.array,
                    CasePath(embed: { .array($0) }, extract: { if case .array(let action) = $0 { $1(action) } }),
                    ForEach(row))
                Scope(
                    \.dictionary,
                    CasePath(
                        embed: { .dictionary($0) }, extract: { if case .dictionary(let action) = $0 { $1(action) } }),
                    ForEach(row))
                Reduce<Lists, ListAction>(
                    decide: { action, _ in
                        switch action {
                        case .array, .dictionary: .ignore
                        case .other, .replace, .removeFirst: .accept
                        }
                    },
                    reduce: { lists, action in
                        switch action {
                        case .array, .dictionary: break
                        case .other: lists.other += 1
                        case .replace(let index):
                            let other = Row(number: -1, looks: looks)
                            lists.array[index] = other
                            lists.dictionary["\(index)"] = other
                        case .removeFirst:
                            lists.array.removeFirst()
                            lists.dictionary["0"] = nil
                        }
                    })
            },
            environment: scheduler.environment(effectLimit: 10_000) { [cancelled] event in
                if event.phase == .cancelled { cancelled.record(event.effect) }
            })
    }

    @Test(arguments: [60, 1000], [true, false])
    func anActionElsewhereLooksAtNoRowOfAnArrayOrADictionary(_ count: Int, _ isArray: Bool) {
        let rowLooks = Recorder<Int>()
        let store = lists(count, rowLooks)
        func dispatch(_ number: Int, _ action: CellAction) {
            store.dispatch(
                isArray
                    ? .array(ElementAction(number, action)) : .dictionary(ElementAction("\(number)", action)))
        }
        for number in 0..<count { dispatch(number, .start) }
        // The first look after the start remembers the collection.
        store.dispatch(.other)
        #expect(looks(rowLooks) { for _ in 1...3 { store.dispatch(.other) } } == 0)
        #expect(looks(rowLooks) { dispatch(7, .increment) } <= 4, "one row has changed")
        #expect(cancelled.values.isEmpty)
        store.end()
    }

    /// In a row that was replaced, and behind a row that was removed, another row has taken the place.
    @Test func rowsOfAnArrayAndADictionaryEndTheirEffectsWhenTheyGo() {
        let store = lists(20, Recorder<Int>())
        for number in 0..<20 {
            store.dispatch(.array(ElementAction(number, .start)))
            store.dispatch(.dictionary(ElementAction("\(number)", .start)))
        }
        store.dispatch(.other)
        store.dispatch(.replace(7))
        #expect(cancelled.values.sorted { "\($0)" < "\($1)" } == ["7", "7"])
        store.dispatch(.other)
        store.dispatch(.removeFirst)
        // All rows of the array have moved, and of the dictionary one is gone.
        #expect(store.core.contents.withLock { $0.pointee.pending?.effects.count } == 18)
        store.end()
    }
}
