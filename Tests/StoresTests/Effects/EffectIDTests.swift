import Stores
import Testing

@Suite struct EffectIDTests {
    @Test func aLiteralIsItsOwnName() {
        let id: EffectID = "animal.fetch"
        #expect(id.name == "animal.fetch" && id.description == "animal.fetch")
        #expect(EffectID("animal.fetch").name == "animal.fetch")
    }

    @Test func whatIsPutIntoALiteralIsNoPartOfTheName() {
        let item = "Ada's tea"
        let ids: [(EffectID, name: String, text: String)] = [
            ("price.\(item)", "price", "price.Ada's tea"),
            (EffectID("price.\(item)"), "price", "price.Ada's tea"),
            ("\(item).price", "price", "Ada's tea.price"),
            ("price.\(item).fetch-now", "price.fetch-now", "price.Ada's tea.fetch-now"),
            ("\(item)", "effect", "Ada's tea"),
            ("price[\(3)]", "price", "price[3]"),
        ]
        for (id, name, text) in ids {
            #expect(id.name == name)
            #expect(id.description == text)
        }
    }

    @Test func anItemTellsEffectsOfOneNameApart() {
        let id = EffectID("price", for: "tea")
        #expect(id.name == "price" && id.description == "price.tea")
        #expect(id == "price.tea" && id == "price.\("tea")" && id.hashValue == EffectID("price.tea").hashValue)
        #expect(id != EffectID("price", for: "rice") && id != "price")
        #expect(EffectID("price", for: nil) == "price")
    }
}
