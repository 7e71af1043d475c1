public import JSON
public import Stores

/// A value as it was kept, with what was hidden in it, to be read back.
public struct PersistedValue {
    /// The value as everybody saw it.
    public let json: JSONValue
    /// What was hidden, at the same place; nil where that was nothing.
    private let hiddenJSON: JSONValue?
    /// Whether `json` was hidden itself.
    private let isHidden: Bool
    private let sealer: (any SecretSealer)?

    init(_ json: JSONValue, hidden: JSONValue?, isHidden: Bool = false, sealer: (any SecretSealer)?) {
        self.json = json
        hiddenJSON = hidden
        self.isHidden = isHidden
        self.sealer = sealer
    }

    /// The member of that name.
    public func member<Member: Restorable>(_ name: String) throws(RestorationError) -> Member {
        guard let value = try members[name] else { throw unreadable("is missing", below: name) }
        return try read(value, at: name, hidden: hiddenJSON?[name])
    }

    /// The member of that name; nil where there is none.
    public func member<Member: Restorable>(ifPresent name: String) throws(RestorationError) -> Member? {
        guard let value = try members[name] else { return nil }
        return try read(value, at: name, hidden: hiddenJSON?[name])
    }

    /// The member of that name, which must be a number in `range`.
    public func member(_ name: String, in range: ClosedRange<Int>) throws(RestorationError) -> Int {
        let number: Int = try member(name)
        guard range.contains(number) else { throw unreadable(Self.mustBe(in: range), below: name) }
        return number
    }

    /// The hidden member of that name.
    public func hidden<Member: Restorable>(_ name: String) throws(RestorationError) -> Member {
        guard let value = hiddenJSON?[name] else { throw inHidden.unreadable("is missing", below: name) }
        return try inHidden.read(value, at: name)
    }

    /// The hidden member of that name, which must be a number in `range`.
    public func hidden(_ name: String, in range: ClosedRange<Int>) throws(RestorationError) -> Int {
        let number: Int = try hidden(name)
        guard range.contains(number) else { throw inHidden.unreadable(Self.mustBe(in: range), below: name) }
        return number
    }

    /// The hidden member of that name, which was secret; nil where it was left out, or where it was sealed and there is
    /// nobody now who can open it.
    public func secret(_ name: String) throws(RestorationError) -> String? {
        guard hiddenJSON?[name] != nil else { return nil }
        let text: String = try hidden(name)
        // What is empty is no secret, and stands as it is.
        if text.isEmpty { return text }
        return sealer.flatMap { Sealed.open(text, by: $0) }
    }

    /// Why this value, or what stands at `name` in it, cannot be read.
    ///
    /// - Parameters:
    ///   - detail: what is wrong, to be read behind the place: "must be an integer".
    ///   - name: of a member, or an element's index; nil for the value itself.
    public func unreadable(_ detail: String, below name: String? = nil) -> RestorationError {
        .unreadable(
            isHidden ? .hidden : .state, at: JSONPointer(tokens: name.map { [$0] } ?? []), detail)
    }

    /// Reads what stands at `step` in this value.
    func read<Part: Restorable>(
        _ part: JSONValue, at step: String, hidden: JSONValue? = nil
    ) throws(RestorationError) -> Part {
        do throws(RestorationError) {
            return try Part(restoring: PersistedValue(part, hidden: hidden, isHidden: isHidden, sealer: sealer))
        } catch {
            throw error.below(step)
        }
    }

    private var members: JSONObject {
        get throws(RestorationError) {
            guard let members = json.asObject else { throw unreadable("must be an object") }
            return members
        }
    }

    private var inHidden: PersistedValue {
        PersistedValue(hiddenJSON ?? .null, hidden: nil, isHidden: true, sealer: sealer)
    }

    private static func mustBe(in range: ClosedRange<Int>) -> String {
        "must be from \(range.lowerBound) to \(range.upperBound)"
    }
}

extension PersistedValue {
    /// The table whose members `entities` and `ids` stand in this object.
    public func table<Entity: Restorable>() throws(RestorationError) -> EntityTable<Entity>
    where Entity.ID: Restorable & LosslessStringConvertible {
        let ids: [Entity.ID] = try member("ids")
        let entities: JSONValue = try member("entities")
        guard let rows = entities.asObject else { throw unreadable("must be an object", below: "entities") }
        var read: [Entity] = []
        read.reserveCapacity(ids.count)
        for id in ids {
            let name = id.description
            guard let row = rows[name] else {
                throw unreadable("is missing", below: name).below("entities")
            }
            let entity: Entity
            do throws(RestorationError) { entity = try self.read(row, at: name) } catch {
                throw error.below("entities")
            }
            guard entity.id == id else { throw unreadable("stands under another's id", below: name).below("entities") }
            read.append(entity)
        }
        let table = EntityTable(read)
        guard table.count == ids.count, rows.count == ids.count else {
            throw unreadable("must name each of the entities once", below: "ids")
        }
        return table
    }
}
