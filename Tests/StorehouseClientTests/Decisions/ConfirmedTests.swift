import JSON
import StorehouseClient
import Testing

@Suite struct ConfirmedTests {
    private var confirmed = Confirmed(value: ["a": 1, "b": [1]], revision: 1, history: "h", version: "1.x", mark: "m1")

    private static func event(_ type: String, _ data: String, id: String = "") throws -> StreamEvent {
        try StreamEvent(StreamedEvent(name: type, data: data, id: id))
    }

    @Test mutating func `the events of a read apply in order`() throws {
        let changed = try confirmed.apply([
            Self.event("patch", #"{"revision":2,"patch":[{"op":"replace","path":"/a","value":2}]}"#, id: "h-2"),
            Self.event(
                "patch",
                #"{"revision":3,"patch":[{"op":"add","path":"/b/-","value":2}],"through":{"m1":7,"m2":9}}"#, id: "h-3"),
        ])
        #expect(Set(changed.names ?? []) == ["a", "b"])
        #expect(confirmed.value == ["a": 2, "b": [1, 2]])
        #expect(confirmed.revision == 3)
        #expect(confirmed.eventID == "h-3")
        #expect(confirmed.through == 7)
    }

    @Test mutating func `a state changes all`() throws {
        let changed = try confirmed.apply([
            Self.event("patch", #"{"revision":2,"patch":[{"op":"remove","path":"/a"}]}"#),
            Self.event("state", #"{"revision":3,"state":5}"#),
        ])
        #expect(changed == .all)
        #expect(confirmed.value == 5)
    }

    @Test mutating func `an event without an id keeps the one before it`() throws {
        confirmed.eventID = "h-1"
        _ = try confirmed.apply([Self.event("state", #"{"revision":3,"state":5}"#)])
        #expect(confirmed.eventID == "h-1")
    }

    @Test mutating func `numbers of another history say nothing`() throws {
        confirmed.through = 9
        _ = try confirmed.apply([
            Self.event("state", #"{"revision":0,"state":5}"#),
            Self.event("ready", #"{"revision":0,"history":"k","version":"1.x","mark":"m4","through":{"m4":2}}"#),
        ])
        #expect(confirmed.history == "k")
        #expect(confirmed.mark == "m4")
        #expect(confirmed.through == 2)
    }

    @Test mutating func `another version needs a state`() throws {
        let ready = try Self.event("ready", #"{"revision":1,"history":"h","version":"2.y"}"#)
        #expect(throws: Confirmed.Misfit.otherVersion) { try confirmed.apply([ready]) }
        _ = try confirmed.apply([Self.event("state", #"{"revision":1,"state":5}"#), ready])
        #expect(confirmed.version == "2.y")
    }

    @Test mutating func `a patch needs a state`() throws {
        confirmed.value = nil
        let patch = try Self.event("patch", #"{"revision":2,"patch":[]}"#)
        #expect(throws: Confirmed.Misfit.noState) { try confirmed.apply([patch]) }
    }
}
