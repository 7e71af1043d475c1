/// A list that has one element nearly always, and needs no memory of its own for it.
package struct ShortList<Element> {
    fileprivate enum Elements {
        case none
        case one(Element)
        case many([Element])
    }

    private var elements = Elements.none

    package init() {}

    package init(_ elements: [Element]) { self.elements = Self.shortest(elements) }

    package mutating func append(_ element: Element) {
        switch elements {
        case .none: elements = .one(element)
        case .one(let first): elements = .many([first, element])
        case .many(var list):
            elements = .none
            list.append(element)
            elements = .many(list)
        }
    }

    @discardableResult
    package mutating func remove(at index: Int) -> Element {
        guard case .many(var list) = elements else {
            defer { elements = .none }
            return self[index]
        }
        elements = .none
        defer { elements = Self.shortest(list) }
        return list.remove(at: index)
    }

    private static func shortest(_ list: [Element]) -> Elements {
        list.count > 1 ? .many(list) : list.first.map(Elements.one) ?? .none
    }
}

extension ShortList: RandomAccessCollection, MutableCollection {
    package var startIndex: Int { 0 }

    package var endIndex: Int {
        switch elements {
        case .none: 0
        case .one: 1
        case .many(let list): list.count
        }
    }

    package subscript(index: Int) -> Element {
        get {
            switch elements {
            case .one(let element) where index == 0: element
            case .many(let list): list[index]
            case .none, .one: preconditionFailure("index out of range")
            }
        }
        // Takes the element out meanwhile, so that what it contains is not copied by a change.
        _modify {
            switch elements {
            case .one(var element) where index == 0:
                elements = .none
                defer { elements = .one(element) }
                yield &element
            case .many(var list):
                elements = .none
                defer { elements = .many(list) }
                yield &list[index]
            case .none, .one: preconditionFailure("index out of range")
            }
        }
    }
}

extension ShortList: Sendable where Element: Sendable {}

extension ShortList.Elements: Sendable where Element: Sendable {}
