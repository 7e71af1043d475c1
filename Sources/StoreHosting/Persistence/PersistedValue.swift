package import JSON
package import Stores

extension JSONValue {
    /// A persisted value, and its private part.
    public struct Persisted {
        /// The part that clients see.
        package let json: JSONValue
        /// The private part of the same value; nil if there is none.
        private let privateJSON: JSONValue?
        /// Whether `json` itself is part of a private state. Errors name the part.
        private let isPrivate: Bool
        /// Whether there is only what clients see, so that conditions on the whole state need not hold.
        let isShownPart: Bool
        /// The places that have changed since the value was restored before.
        fileprivate let changed: ChangedPlaces
        private let sealer: (any SecretSealer)?

        init(
            _ json: JSONValue, privateState: JSONValue?, isPrivate: Bool = false, isShownPart: Bool = false,
            changed: ChangedPlaces = .all, sealer: (any SecretSealer)?
        ) {
            self.json = json
            privateJSON = privateState
            self.isPrivate = isPrivate
            self.isShownPart = isShownPart
            self.changed = changed
            self.sealer = sealer
        }

        /// A state of which only the part is known that clients see.
        init(shown json: JSONValue, changed: ChangedPlaces) {
            self.init(json, privateState: nil, isShownPart: true, changed: changed, sealer: nil)
        }

        /// Whether the member with that name is not as it was restored before.
        func hasChanged(_ name: String) -> Bool { !changed[name].isEmpty }

        /// The member with that name.
        package func member<Value: Restorable>(_ name: String) throws(RestorationError) -> Value {
            guard let value = try members[name] else { throw unreadable("is missing", below: name) }
            return try read(value, at: name, privateState: privateJSON?[name])
        }

        /// The member with that name; nil if there is none, or if it is `null` and the type is not optional.
        package func member<Value: Restorable>(ifPresent name: String) throws(RestorationError) -> Value? {
            guard let value = try members[name] else { return nil }
            do throws(RestorationError) {
                // With a type of its own: read as an optional of it, the value nil of an optional type would be no member.
                let member: Value = try read(value, at: name, privateState: privateJSON?[name])
                return member
            } catch {
                if value.isNull { return nil }
                throw error
            }
        }

        /// The part of this value with that name; nil if there is none.
        func part(ifPresent name: String) throws(RestorationError) -> JSONValue.Persisted? {
            try members[name].map { value in
                JSONValue.Persisted(
                    value, privateState: privateJSON?[name], isPrivate: isPrivate, isShownPart: isShownPart,
                    changed: changed[name], sealer: sealer)
            }
        }

        /// The number with that name, which must be in `range`.
        package func member(_ name: String, in range: ClosedRange<Int>) throws(RestorationError) -> Int {
            let number: Int = try member(name)
            guard range.contains(number) else { throw unreadable(Self.mustBe(in: range), below: name) }
            return number
        }

        /// The private member with that name.
        package func privateMember<Value: Restorable>(_ name: String) throws(RestorationError) -> Value {
            guard let value = privateJSON?[name] else { throw privateValue.unreadable("is missing", below: name) }
            return try privateValue.read(value, at: name)
        }

        /// The private member with that name; nil if there is none.
        func privateMember<Value: Restorable>(ifPresent name: String) throws(RestorationError) -> Value? {
            guard let value = privateJSON?[name] else { return nil }
            let member: Value = try privateValue.read(value, at: name)
            return member
        }

        /// The value of a secret member whose text is JSON.
        func restoredSecret<Value: Restorable>(_ text: String, _ name: String) throws(RestorationError) -> Value {
            guard let value = try? JSONValue(parsing: Array(text.utf8)) else {
                throw privateValue.unreadable("is not JSON", below: name)
            }
            return try privateValue.read(value, at: name)
        }

        /// The private number with that name, which must be in `range`.
        package func privateMember(_ name: String, in range: ClosedRange<Int>) throws(RestorationError) -> Int {
            let number: Int = try privateMember(name)
            guard range.contains(number) else { throw privateValue.unreadable(Self.mustBe(in: range), below: name) }
            return number
        }

        /// The secret with that name; nil if it was left out, or if it is sealed and no sealer can open it.
        package func secret(_ name: String) throws(RestorationError) -> String? {
            guard privateJSON?[name] != nil else { return nil }
            let text: String = try privateMember(name)
            // An empty text is persisted in clear.
            if text.isEmpty { return text }
            return sealer.flatMap { Sealed.open(text, by: $0) }
        }

        /// The error that this value, or its member `name`, cannot be read.
        ///
        /// - Parameters:
        ///   - detail: what is wrong, as a predicate whose subject is the place: "must be an integer".
        ///   - name: the name of a member, or the index of an element; nil for the value itself.
        package func unreadable(_ detail: String, below name: String? = nil) -> RestorationError {
            .unreadable(
                isPrivate ? .privateState : .state, at: JSONPointer(tokens: name.map { [$0] } ?? []).description, detail
            )
        }

        /// Restores a value by its `init(from:)`.
        ///
        /// - Throws: The error with the place inside of this value.
        package func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(RestorationError) -> Value {
            do throws(JSONDecodingError) {
                return try json.decode(type)
            } catch {
                throw .unreadable(isPrivate ? .privateState : .state, at: error.pointer.description, error.detail)
            }
        }

        /// Restores the part of this value at `step`.
        func read<Value: Restorable>(
            _ part: JSONValue, at step: String, privateState: JSONValue? = nil
        ) throws(RestorationError) -> Value {
            do throws(RestorationError) {
                return try Value(
                    restoring: JSONValue.Persisted(
                        part, privateState: privateState, isPrivate: isPrivate, isShownPart: isShownPart,
                        sealer: sealer))
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

        private var privateValue: JSONValue.Persisted {
            JSONValue.Persisted(privateJSON ?? .null, privateState: nil, isPrivate: true, sealer: sealer)
        }

        private static func mustBe(in range: ClosedRange<Int>) -> String {
            "must be from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}

extension JSONValue.Persisted {
    /// The table that is persisted as the members `entities` and `ids` of this object.
    package func table<Entity: Restorable>() throws(RestorationError) -> EntityTable<Entity>
    where Entity.ID: Restorable & LosslessStringConvertible {
        let ids: [Entity.ID] = try member("ids")
        let rows = try rows
        var read: [Entity] = []
        read.reserveCapacity(ids.count)
        for id in ids { read.append(try entity(id, id.description, in: rows)) }
        let table = EntityTable(read)
        guard table.count == ids.count, rows.count == ids.count else {
            throw unreadable("must name each of the entities once", below: "ids")
        }
        return table
    }

    /// The table as ``table()`` reads it. If only entities have changed since `old` was read, no others are read.
    func table<Entity: Restorable>(from old: EntityTable<Entity>) throws(RestorationError) -> EntityTable<Entity>
    where Entity.ID: Restorable & LosslessStringConvertible {
        guard changed["ids"].isEmpty, let names = changed["entities"].names else { return try table() }
        let rows = try rows
        var read: [Entity] = []
        for name in names {
            // An entity that came or went without its id is an error, which the whole table tells.
            guard rows.count == old.count, let id = Entity.ID(name), old.contains(id) else { return try table() }
            read.append(try entity(id, name, in: rows))
        }
        var table = old
        table.upsertMany(read)
        return table
    }

    private var rows: JSONObject {
        get throws(RestorationError) {
            let entities: JSONValue = try member("entities")
            guard let rows = entities.asObject else { throw unreadable("must be an object", below: "entities") }
            return rows
        }
    }

    private func entity<Entity: Restorable & Identifiable>(
        _ id: Entity.ID, _ name: String, in rows: JSONObject
    ) throws(RestorationError) -> Entity {
        do throws(RestorationError) {
            guard let row = rows[name] else { throw unreadable("is missing", below: name) }
            let entity: Entity = try read(row, at: name)
            guard ExactComparison.areSame(entity.id, id) else {
                throw unreadable("has another id than its name", below: name)
            }
            return entity
        } catch {
            throw error.below("entities")
        }
    }
}
