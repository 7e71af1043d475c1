import Stores
import StoresTesting
import Testing

@Suite struct EntityTableTests {
    private struct Entity: Identifiable, Sendable, Equatable {
        let id: Int
        var text = ""
    }

    /// An array of whole entities: slow, and plainly right.
    private struct Model {
        var entities: [Entity] = []

        mutating func apply(_ kind: Int, _ id: Int, _ number: Int) -> Bool {
            let place = entities.firstIndex { $0.id == id }
            switch (kind, place) {
            case (0, nil): entities.append(Entity(id: id))
            case (1, let place?): entities[place].text = "\(number)"
            case (2, let place?): entities.remove(at: place)
            case (3, let place?):
                let entity = entities.remove(at: place)
                entities.insert(entity, at: min(max(number, 0), entities.count))
            default: return false
            }
            return true
        }
    }

    private func apply(_ kind: Int, _ id: Int, _ number: Int, to table: inout EntityTable<Entity>) -> Bool {
        switch kind {
        case 0: table.insert(Entity(id: id))
        case 1: table.update(id) { $0.text = "\(number)" }
        case 2: table.remove(id) != nil
        default: table.move(id, to: number)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func behavesLikeAnArrayOfEntities(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = EntityTable<Entity>()
        var model = Model()
        for _ in 1...300 {
            let kind = Int.random(in: 0...3, using: &generator)
            let id = Int.random(in: 1...12, using: &generator)
            let number = Int.random(in: -2...14, using: &generator)
            let (hasWork, modelHasWork) = (apply(kind, id, number, to: &table), model.apply(kind, id, number))
            #expect(hasWork == modelHasWork)
            #expect(Array(table.ordered) == model.entities)
            #expect(table.ids == model.entities.map(\.id))
            #expect(Set(table.entities.keys) == Set(table.ids))
            #expect(table.count == model.entities.count)
            #expect(table.isEmpty == model.entities.isEmpty)
            #expect(table[id] == model.entities.first { $0.id == id })
            #expect(table.contains(id) == (table[id] != nil))
        }
    }

    @Test(arguments: [(Int.min, [3, 1, 2]), (0, [3, 1, 2]), (1, [1, 3, 2]), (.max, [1, 2, 3])])
    func movesWithinBounds(_ index: Int, _ ids: [Int]) {
        var table = EntityTable<Entity>()
        for id in 1...3 { table.insert(Entity(id: id)) }
        let isMoved = table.move(3, to: index)
        #expect(isMoved)
        #expect(table.ids == ids)
    }
}
