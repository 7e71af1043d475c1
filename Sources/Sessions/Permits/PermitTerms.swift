package import JSON
package import Security
package import StoreHosting
package import Stores

/// The terms of a permit: its permissions, the part of the state that it shows, its holder and its maker.
///
/// It is a class because it is immutable, and every request by the permit reads it.
package final class PermitTerms: Sendable {
    /// Tells it from the other permits of the session. Nobody can use the permit by this.
    package let id: String
    package let permissions: Permissions
    /// The part of the state that it shows, as its maker has named it: a JSON Pointer, or the name of a selector.
    package let selection: String
    /// The types of the actions that its holder may send; nil for all.
    package let actions: [Subject]?
    /// The actor that its holder is; nil for an anonymous one.
    package let holder: Actor?
    /// The name of the permit in lists, for people; nil for none.
    package let label: String?
    /// The visitor who has made the permit, which is valid only while the visitor may share. Nil if no visitor has made it.
    package let maker: Actor?
    /// In milliseconds since 1970.
    package let madeAt: Int
    /// In milliseconds since 1970.
    package let expiresAt: Int
    /// How often the permits of the session had been revoked when it was made.
    package let generation: Int

    package init(
        id: String, _ permissions: Permissions, selection: String = "", actions: [Subject]? = nil,
        holder: Actor? = nil, label: String? = nil, maker: Actor? = nil, madeAt: Int = 0, expiresAt: Int,
        generation: Int
    ) {
        self.id = id
        self.permissions = permissions
        self.selection = selection
        self.actions = actions
        self.holder = holder
        self.label = label
        self.maker = maker
        self.madeAt = madeAt
        self.expiresAt = expiresAt
        self.generation = generation
    }

    /// Whether its holder may send actions of a type.
    package func allows(_ type: String) -> Bool { actions?.contains(Subject(type)) ?? true }
}

// The stored form.
extension PermitTerms {
    package var record: PermitRecord {
        var json = JSONWriter(reservingCapacity: 256)
        json.object { json in
            json.member("may", permissions.names)
            json.member("select", selection)
            json.member("actions", ifPresent: actions?.map(\.text))
            if let holder { json.member("as", raw: holder.json) }
            json.member("label", ifPresent: label)
            if let maker { json.member("maker", raw: maker.json) }
            json.member("madeAt", madeAt)
            json.member("expiresAt", expiresAt)
            json.member("generation", generation)
        }
        return PermitRecord(id: id, content: json.finish())
    }

    /// Nil if this program cannot read the terms. Then nobody can use the permit.
    package convenience init?(_ record: PermitRecord) {
        guard let json = try? JSONValue(parsing: record.content), let selection = json["select"]?.asString,
            let permissions = json["may"]?.asArray?.compactMap({ $0.asSubject.flatMap(Permission.init(named:)) }),
            let madeAt = json["madeAt"]?.asInteger, let expiresAt = json["expiresAt"]?.asInteger,
            let generation = json["generation"]?.asInteger
        else { return nil }
        let holder = json["as"].map { Actor(json: $0.encoded()) }
        let maker = json["maker"].map { Actor(json: $0.encoded()) }
        let actions = json["actions"].map { $0.asArray?.compactMap(\.asSubject) }
        // A limit that cannot be read must not vanish.
        if case .some(.none) = holder { return nil }
        if case .some(.none) = maker { return nil }
        if case .some(.none) = actions { return nil }
        self.init(
            id: record.id, Permissions(permissions), selection: selection, actions: actions ?? nil,
            holder: holder ?? nil, label: json["label"]?.asString, maker: maker ?? nil, madeAt: madeAt,
            expiresAt: expiresAt,
            generation: generation)
    }
}
