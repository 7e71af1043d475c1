public import JSON

extension StoreDefinition {
    /// Turns a persisted state of an earlier version into a later one.
    ///
    ///     StoreDefinition(
    ///         "cinema", "A cinema.", Cinema(),
    ///         migrations: [.from(OldCinema.self) { old in Cinema(seats: Set(old.seats), price: 950) }]
    ///     ) { … }
    ///
    /// A definition has one for each earlier version, the oldest first, and never drops one. A session is migrated when it is loaded; the
    /// new state is a commit of the type `store/migrated`. A session whose migration fails is not loaded, and the log says why.
    public struct Migration: Sendable {
        /// - Parameter snapshot: encodes a state of the definition.
        let step: @Sendable (_ snapshot: @escaping Snapshot) -> MigrationStep

        typealias Snapshot = @Sendable (State) -> StateSnapshot

        /// A migration to the newest version. Those of later versions are skipped.
        ///
        /// - Parameters:
        ///   - old: the members of the old version by their names, shown and hidden ones, without secrets. It may lack members that
        ///     `change` does not need.
        ///   - change: the new state. Secrets keep their values, and calls that wait for an answer continue.
        public static func from<Old: Decodable & SendableMetatype>(
            _ old: Old.Type, _ change: @escaping @Sendable (Old) throws(RestorationError) -> State
        ) -> Migration {
            Migration { snapshot in
                { state throws(RestorationError) in
                    let newest = try change(state.decoded(old))
                    try state.replace(by: snapshot(newest))
                }
            }
        }

        /// A migration to the next version, which is not the newest.
        ///
        /// - Parameters:
        ///   - old: the members of the old version by their names, shown and hidden ones, without secrets.
        ///   - change: the members of the next version, from which its migration continues. Secrets keep their values, and calls that wait
        ///     for an answer continue.
        public static func from<Old: Decodable & SendableMetatype, Next: Encodable & SendableMetatype>(
            _ old: Old.Type, _ change: @escaping @Sendable (Old) throws(RestorationError) -> Next
        ) -> Migration {
            Migration { _ in
                { state throws(RestorationError) in try state.replace(by: try change(state.decoded(old))) }
            }
        }

        /// A migration of the JSON to the next version.
        ///
        /// - Parameter change: gets the part of the state that clients see, and the hidden members, which are an empty object if there are
        ///   none; secrets are sealed. After a migration that returned a `Codable` value, all members are in the first part.
        public static func raw(
            _ change:
                @escaping @Sendable (_ state: inout JSONValue, _ hidden: inout JSONValue) throws(RestorationError) ->
                Void
        ) -> Migration {
            let step = MigratingState.step(change)
            return Migration { _ in step }
        }
    }
}

extension MemberList {
    /// A state as it is persisted, without secrets.
    @usableFromInline
    func snapshot(of state: State) -> StateSnapshot {
        withUnsafePointer(to: state) { state in
            var json = JSONWriter()
            json.object { encode(state, &$0) }
            var members = JSONValue.PrivateEncoder(JSONWriter(), .leftOut)
            members.open()
            encodePrivate(state, into: &members)
            members.close()
            return StateSnapshot(json: json.finish(), privateState: members.bytes)
        }
    }
}
