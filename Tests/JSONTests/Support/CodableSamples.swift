import JSON

/// Values with everything that Swift synthesizes `Codable` for.
struct Sample: Codable, Equatable {
    enum Color: String, Codable { case red, blue }
    enum Level: Int, Codable, CaseIterable {
        case low = 1
        case high = 5
    }
    enum Event: Codable, Equatable {
        case opened
        case moved(from: Int, to: Int?)
        case renamed(String)
        indirect case repeated(Event, times: UInt8)
    }
    struct Place: Codable, Hashable {
        var street: String
        var number: Int?
    }

    var text: String
    var whole: Int
    var small: Int8
    var large: UInt64
    var fraction: Double
    var short: Float
    var isSet: Bool
    var maybe: String?
    var color: Color
    var level: Level?
    var event: Event
    var place: Place
    var places: [Place]
    var gaps: [Int?]
    var byName: [String: Place]
    var byNumber: [Int: String]
    var byPlace: [Place: Bool]
    var set: Set<Int>
    var tree: Tree
}

struct Tree: Codable, Equatable {
    var name: String
    var children: [Tree]
}

extension RandomSource {
    mutating func sample() -> Sample {
        Sample(
            text: string(), whole: .random(in: .min ... .max, using: &self),
            small: .random(in: -128...127, using: &self),
            large: .random(in: 0 ... .max, using: &self), fraction: fraction(),
            short: Float.random(in: -1e9...1e9, using: &self), isSet: .random(using: &self),
            maybe: Bool.random(using: &self) ? string() : nil, color: Bool.random(using: &self) ? .red : .blue,
            level: [nil, .low, .high].randomElement(using: &self) ?? nil, event: event(), place: place(),
            places: list { $0.place() }, gaps: list { Bool.random(using: &$0) ? 7 : nil },
            byName: Dictionary(list { ($0.string(), $0.place()) }) { first, _ in first },
            byNumber: Dictionary(list { (.random(in: -9...9, using: &$0), $0.string()) }) { first, _ in first },
            byPlace: Dictionary(list { ($0.place(), .random(using: &$0)) }) { first, _ in first },
            set: Set(list { .random(in: -99...99, using: &$0) }), tree: tree(depth: 3))
    }

    private mutating func list<Element>(_ element: (inout RandomSource) -> Element) -> [Element] {
        (0..<Int.random(in: 0...4, using: &self)).map { _ in element(&self) }
    }

    private mutating func place() -> Sample.Place {
        Sample.Place(street: string(), number: Bool.random(using: &self) ? 1 : nil)
    }

    private mutating func event() -> Sample.Event {
        switch Int.random(in: 0..<5, using: &self) {
        case 0: .opened
        case 1: .moved(from: 1, to: nil)
        case 2: .moved(from: -1, to: 2)
        case 3: .renamed(string())
        default: .repeated(event(), times: 3)
        }
    }

    private mutating func tree(depth: Int) -> Tree {
        Tree(name: string(), children: depth == 0 ? [] : list { $0.tree(depth: depth - 1) })
    }

    private mutating func fraction() -> Double {
        let value = Double(bitPattern: .random(in: 0 ... .max, using: &self))
        return value.isFinite ? value : 0.1
    }
}
