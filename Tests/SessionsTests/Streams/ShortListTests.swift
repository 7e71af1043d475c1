import Sessions
import Testing

/// The list that needs no memory for one element.
@Suite struct ShortListTests {
    @Test(arguments: 0...3)
    func itHasTheElementsThatWereAdded(count: Int) {
        var list = ShortList<Int>()
        for number in 0..<count { list.append(number) }
        #expect(Array(list) == Array(0..<count))
        #expect(Array(ShortList(Array(0..<count))) == Array(0..<count))
    }

    @Test(arguments: 1...3)
    func eachElementCanBeRemoved(count: Int) {
        for index in 0..<count {
            var list = ShortList(Array(0..<count))
            #expect(list.remove(at: index) == index)
            #expect(Array(list) == (0..<count).filter { $0 != index })
        }
    }

    @Test(arguments: 1...3)
    func anElementIsChangedInItsPlace(count: Int) {
        var list = ShortList(Array(0..<count))
        list[count - 1] += 10
        #expect(Array(list) == Array(0..<count - 1) + [count + 9])
    }
}
