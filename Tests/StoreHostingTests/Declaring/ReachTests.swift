import JSON
import Locks
import StoreHosting
import Stores
import StoresTesting
import Testing

@Suite("The members that an action can change")
struct ReachTests {
    private struct Shelf: Sendable, Equatable {
        var books: [String] = []
        var key = 0

        static let add = Action<Shelf, String>("add", "Adds a book.", .text("title", 1...80, example: "Emma")) {
            $0.books.append($1)
        }
        static let lock = Action<Shelf, Void>("lock", "Changes the lock.") { $0.key += 1 }
        static let elements = StoreElements<Shelf> {
            Member("books", \.books)
            Member("key", \.key, .hidden)
            add
            lock
        }
    }

    private struct Library: Sendable, Equatable {
        @Tracked var notice = String(repeating: "x", count: 2000)
        var left = Shelf()
        var visits = 0
        var right = Shelf()
        /// The left shelf by another path, which is no stored property.
        var alias: Shelf {
            get { left }
            set { left = newValue }
        }

        static let leftPart = Part("left", \Library.left) { Shelf.elements }
        static let rightPart = Part("right", \Library.right) { Shelf.elements }
    }

    private static let library = StoreDefinition("library", "Two shelves.", Library()) {
        Member("notice", \.notice, stamp: \.$notice)
        Library.leftPart
        Library.rightPart
        Part("alias", \.alias) { Shelf.elements }
        Part("inner", \.self) {
            Part("nested", \Library.right) { Shelf.elements }
        }
        Member("visits", \.visits)
        Member("count") { $0.left.books.count + $0.right.books.count }
        Follow(Library.rightPart, Shelf.lock) { library, _ in library.visits += 1 }
        Action("visit", "Counts a visit.") { $0.visits += 1 }
        Action("write", "Changes the notice.") { $0.notice += "!" }
        Selector("titles", "All titles.") { $0.left.books + $0.right.books }
        Selector("fresh", "The state, encoded anew.") { library in
            Fresh(
                notice: library.notice, left: library.left.books, right: library.right.books, visits: library.visits)
        }
    }

    private struct Fresh: Codable, Sendable {
        let notice: String
        let left: [String]
        let right: [String]
        let visits: Int
    }

    /// Keeps the newest private state that a commit has brought.
    private final class Recorder: CommitRecorder {
        private let newest = Locked<[UInt8]?>(nil)

        var privateState: [UInt8]? { newest.withLock(\.self) }

        func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
            for commit in transaction.commits { if let state = commit.privateState { newest.withLock { $0 = state } } }
        }

        func isDurable(through revision: Int) -> Bool { true }

        func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) { waiter.waitEnded(with: nil) }
    }

    @Test("are all compared, whatever the path of the part that changes them", arguments: 0..<20)
    func whatIsShownIsTheState(seed: UInt64) throws {
        #expect(Self.library.kind.problems == [])
        var random = SeededGenerator(seed: seed)
        let recorder = Recorder()
        let store = Self.library.kind.makeStore(recorder: recorder)
        let types = [
            "left/add", "right/add", "alias/add", "right/lock", "left/lock", "alias/lock", "library/visit",
            "library/write",
            "nested/add", "nested/lock",
        ]
        for step in 0..<60 {
            let type = try #require(types.randomElement(using: &random))
            let result = store.dispatch(type, type.hasSuffix("add") ? ["title": .string("book \(step)")] : [:])
            #expect(result?.word == "committed")
            let shown = try JSONValue(parsing: store.read(.root).json)
            let fresh = try JSONValue(parsing: store.read(.named("fresh", at: JSONPointer(tokens: []))).json)
            #expect(shown["notice"] == fresh["notice"] && shown["visits"] == fresh["visits"])
            for path in [["left"], ["alias"]] { #expect(Self.books(shown, path) == fresh["left"]) }
            for path in [["right"], ["inner", "nested"]] { #expect(Self.books(shown, path) == fresh["right"]) }
            if let privateState = recorder.privateState { #expect(privateState == store.snapshot().1.privateState) }
        }
    }

    private static func books(_ state: JSONValue, _ path: [String]) -> JSONValue? {
        path.reduce(state) { $0?[$1] }?["books"]
    }
}
