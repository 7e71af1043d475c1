import Sessions
import StoresTesting
import Testing

/// The table that finds sessions by their ids.
@Suite struct IdentifiedTableTests {
    /// An id of which many have the same hash.
    private struct ID: Hashable {
        let number: Int

        func hash(into hasher: inout Hasher) { hasher.combine(number % 7) }
    }

    private final class Element: Identifiable {
        let id: ID

        init(_ number: Int) { id = ID(number: number) }
    }

    @Test func anEmptyTableFindsNothing() {
        var table = IdentifiedTable<Element>()
        #expect(table[ID(number: 1)] == nil)
        let isFound = table.remove(Element(1))
        #expect(!isFound)
        #expect(table.elements.isEmpty)
    }

    @Test func anotherObjectTakesThePlaceOfOneWithItsID() {
        var table = IdentifiedTable<Element>()
        let (first, second) = (Element(1), Element(1))
        table.insert(first)
        table.insert(second)
        #expect(table[ID(number: 1)] === second)
        #expect(table.count == 1)
        let isFirstFound = table.remove(first)
        #expect(!isFirstFound)
        let isSecondFound = table.remove(second)
        #expect(isSecondFound)
        #expect(table.count == 0)
    }

    /// Ids that collide move when one of them is removed.
    @Test func itContainsTheSameAsADictionary() {
        var table = IdentifiedTable<Element>()
        var model: [ID: Element] = [:]
        var random = SeededGenerator(seed: 7)
        for _ in 0..<5000 {
            let element = Element(.random(in: 0..<60, using: &random))
            if .random(using: &random) {
                table.insert(element)
                model[element.id] = element
            } else if let known = model.removeValue(forKey: element.id) {
                let isFound = table.remove(known)
                #expect(isFound)
            }
            #expect(table.count == model.count)
            for number in 0..<60 { #expect(table[ID(number: number)] === model[ID(number: number)]) }
        }
        #expect(Set(table.elements.map(ObjectIdentifier.init)) == Set(model.values.map(ObjectIdentifier.init)))
    }
}
