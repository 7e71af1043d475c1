import Sessions
import Testing

@Suite("The places of sessions in the list by their last use")
struct FirstPlacesTests {
    private static func places(_ count: Int) -> [UsePlace] {
        (0..<count).map { _ in UsePlace(moment: Int.random(in: 0..<20), id: .random()) }
    }

    @Test("are the first of all behind a place, whatever order they come in", arguments: 1...30)
    func first(limit: Int) {
        let all = Self.places(200).sorted()
        var (found, start): ([UsePlace], UsePlace?) = ([], nil)
        repeat {
            var first = FirstPlaces(after: start, limit: limit)
            for place in (all + all).shuffled() { first.add(place) }
            let page = first.sorted()
            #expect(page.count == min(limit, all.count - found.count))
            found += page
            start = page.last
        } while start != nil
        #expect(found == all)
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.moment >= $1.moment })
    }

    @Test("have a session once, at its latest use")
    func twice() {
        var first = FirstPlaces(after: nil, limit: 2)
        let ids = (0..<3).map { _ in SessionID.random() }
        for moment in [1, 5, 3] { first.add(UsePlace(moment: moment, id: ids[0])) }
        first.add(UsePlace(moment: 4, id: ids[1]))
        first.add(UsePlace(moment: 2, id: ids[2])) { false }
        #expect(first.sorted() == [UsePlace(moment: 5, id: ids[0]), UsePlace(moment: 4, id: ids[1])])
    }

    @Test("are read back from both of their texts, and from no other")
    func texts() {
        for place in Self.places(100) {
            #expect(UsePlace(place.description.utf8) == place)
            #expect(UsePlace(cursor: place.cursor) == place)
            #expect(!place.cursor.contains(place.id.description))
            #expect(UsePlace(place.id.description.utf8) == nil && UsePlace(cursor: place.id.cursor) == nil)
            for text in ["", " ", ".", "1", "1 ", "x \(place.id)", "1 \(place.id)="] {
                #expect(UsePlace(text.utf8) == nil && UsePlace(cursor: text) == nil)
            }
        }
    }
}
