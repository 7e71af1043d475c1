import Stores
import Testing

@Suite("A path to a case that is found by reflection")
struct ReflectedCaseTests {
    private enum Wish: Sendable, Equatable {
        case one(Int)
        case other(Int)
        case labelled(count: Int)
        case maybe(Int?)
        case nested(Nested)
        case nothing
    }

    private indirect enum Nested: Sendable, Equatable {
        case end
        case more(Nested)
    }

    @Test("leads to the payload of its case and to no other")
    func payloads() {
        let one = CasePath(Wish.one)
        #expect(one.embed(3) == .one(3) && one.value(in: .one(3)) == 3)
        for wish in [Wish.other(3), .labelled(count: 3), .maybe(3), .nested(.end), .nothing] {
            #expect(one.value(in: wish) == nil && !one.matches(wish))
        }
        #expect(CasePath(Wish.labelled).value(in: .labelled(count: 4)) == 4)
        #expect(CasePath(Wish.maybe).value(in: .maybe(nil)) == .some(nil))
        #expect(CasePath(Wish.maybe).value(in: .one(5)) == nil)
        #expect(CasePath(Wish.nested).value(in: .nested(.more(.end))) == .more(.end))
        #expect(CasePath(Nested.more).value(in: .more(.more(.end))) == .more(.end))
    }

    @Test("scopes a reducer to a slice")
    func scope() {
        struct Basket: Sendable, Equatable {
            var apples = 0
            var pears = 0
        }
        let add = Reduce<Int, Int> { $0 += $1 }
        let store = Store(
            Basket(),
            reducer: Compose<Basket, Wish> {
                Scope(\.apples, Wish.one, add)
                Scope(\.pears, Wish.other, add)
            })
        #expect(store.dispatch(.one(2)).outcome == .committed)
        #expect(store.dispatch(.other(3)).outcome == .committed)
        #expect(store.dispatch(.nothing).outcome == .ignored)
        #expect(store.state == Basket(apples: 2, pears: 3))
    }
}
