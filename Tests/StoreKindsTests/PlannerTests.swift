import JSON
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct PlannerTests {
    private typealias Bench = TestStore<Planner, StoreAction<Planner>>

    private func planner(_ titles: String...) throws -> Bench {
        let planner = Bench(Planner(), reducer: Planner.store.reducer)
        for title in titles { try planner.dispatch(Planner.tasks(Tasks.add(title, nil))) { $0 = planner.state } }
        return planner
    }

    private func task(_ id: Int, _ title: String, due: String? = nil) -> PlannedTask {
        PlannedTask(id: id, title: title, due: due)
    }

    @Test func addsUnderTheNextID() throws {
        let planner = try planner()
        try planner.dispatch(Planner.tasks(Tasks.add("a", "2026-01-31"))) { state in
            state.tasks.table.insert(self.task(1, "a", due: "2026-01-31"))
            state.tasks.nextID = 2
            state.trends.added = 1
        }
        #expect(
            Tasks.elements.json(planner.state.tasks)
                == #"{"entities":{"1":{"id":1,"title":"a","due":"2026-01-31","isDone":false}},"#
                + #""ids":[1],"favorited":[]}"#)
    }

    @Test func editsWhatIsGiven() throws {
        let planner = try planner("a")
        try planner.dispatch(Planner.tasks(Tasks.edit(1, "b", "2026-01-31", nil))) { state in
            state.tasks.table.update(1) { $0 = self.task(1, "b", due: "2026-01-31") }
        }
        try planner.dispatch(Planner.tasks(Tasks.edit(1, nil, nil, true))) { state in
            state.tasks.table.update(1) { $0.isDone = true }
            state.trends.completed = 1
        }
        try planner.dispatch(Planner.tasks(Tasks.edit(1, nil, .some(nil), true))) { state in
            state.tasks.table.update(1) { $0.due = nil }
        }
        try planner.dispatch(Planner.tasks(Tasks.edit(1, nil, nil, false))) { state in
            state.tasks.table.update(1) { $0.isDone = false }
        }
        try planner.dispatch(Planner.tasks(Tasks.edit(1, "c", nil, true))) { state in
            state.tasks.table.update(1) { task in
                task.title = "c"
                task.isDone = true
            }
            state.trends.completed = 2
        }
    }

    @Test func favouritesAreInTheOrderOfAdding() throws {
        let planner = try planner("a", "b", "c")
        try planner.dispatch(Planner.tasks(Tasks.favorite(3))) { $0.tasks.favorited = [3] }
        try planner.dispatch(Planner.tasks(Tasks.favorite(1))) { $0.tasks.favorited = [3, 1] }
        try planner.dispatch(Planner.tasks(Tasks.favorite(3)), .ignored)
        #expect(planner.state.favoriteTasks.map(\.id) == [1, 3])
        try planner.dispatch(Planner.tasks(Tasks.unfavorite(3))) { $0.tasks.favorited = [1] }
        try planner.dispatch(Planner.tasks(Tasks.unfavorite(3)), .ignored)
    }

    @Test(arguments: [
        (3, 0, [3, 1, 2]), (1, 1, [2, 1, 3]), (1, 2, [2, 3, 1]), (1, .max, [2, 3, 1]), (2, 1, [1, 2, 3]),
    ])
    func moves(_ id: Int, _ index: Int, _ ids: [Int]) throws {
        let planner = try planner("a", "b", "c")
        let move = { (state: inout Planner) in _ = state.tasks.table.move(id, to: index) }
        try planner.dispatch(Planner.tasks(Tasks.move(id, index)), .committed, ids == [1, 2, 3] ? nil : move)
        #expect(Array(planner.state.tasks.table.ids) == ids)
    }

    @Test func aRemovedTaskIsGoneAndItsIDNeverGivenAgain() throws {
        let planner = try planner("a", "b")
        try planner.dispatch(Planner.tasks(Tasks.favorite(2))) { $0.tasks.favorited = [2] }
        try planner.dispatch(Planner.tasks(Tasks.remove(2))) { state in
            state.tasks.table.remove(2)
            state.tasks.favorited = []
            state.trends.removed = 1
        }
        try planner.dispatch(Planner.tasks(Tasks.add("c", nil))) { $0 = planner.state }
        #expect(Array(planner.state.tasks.table.ids) == [1, 3])
    }

    @Test(arguments: [
        Tasks.edit(9, nil, nil, true), Tasks.favorite(9), Tasks.unfavorite(9), Tasks.move(9, 0), Tasks.remove(9),
    ])
    func anUnknownTaskIsRejectedAndCountsNowhere(_ action: StoreAction<Tasks>) throws {
        let planner = try planner("a")
        try planner.dispatch(Planner.tasks(action), .rejected("no-such-task", index: 0))
    }

    @Test func theOtherSlicesChangeTheirOwn() throws {
        let planner = try planner("a")
        try planner.dispatch(Planner.trends(Trends.reset())) { $0.trends = Trends() }
        try planner.dispatch(Planner.calendar(Calendar.selectDay("2026-12-24"))) {
            $0.calendar.selectedDay = "2026-12-24"
        }
        try planner.dispatch(Planner.calendar(Calendar.selectDay(nil))) { $0.calendar.selectedDay = nil }
        try planner.dispatch(Planner.settings(Settings.update(.dark, nil, nil))) {
            $0.settings.theme = .dark
        }
        try planner.dispatch(Planner.settings(Settings.update(nil, "de-CH", false))) { state in
            state.settings.locale = "de-CH"
            state.settings.notifications = false
        }
    }

    @Test func theSummaryCounts() async throws {
        for kind in StoreKind.scripted(ScriptedRemoteClient()) where ["app", "planner"].contains(kind.name) {
            let store = kind.makeStore()
            #expect(kind.selectors.map(\.name) == ["summary", "favoriteTasks"])
            #expect(store.json("summary") == #"{"open":0,"done":0,"favorites":0,"overdue":0}"#)
            #expect(store.json("favoriteTasks") == "[]")
            for due in ["2026-01-30", "2026-01-31", "2026-02-01", "2026-01-01"] {
                _ = await store.dispatch(["type": "tasks/add", "payload": ["title": "a", "due": .string(due)]])
            }
            _ = await store.dispatch(["type": "tasks/add", "payload": ["title": "b"]])
            _ = await store.dispatch(["type": "tasks/edit", "payload": ["id": 4, "isDone": true]])
            for id in [5, 2] { _ = await store.dispatch(["type": "tasks/favorite", "payload": ["id": .integer(id)]]) }
            #expect(store.json("summary") == #"{"open":4,"done":1,"favorites":2,"overdue":0}"#)
            _ = await store.dispatch(["type": "calendar/selectDay", "payload": ["day": "2026-01-31"]])
            #expect(store.json("summary") == #"{"open":4,"done":1,"favorites":2,"overdue":1}"#)
            #expect(
                store.json("favoriteTasks")
                    == #"[{"id":2,"title":"a","due":"2026-01-31","isDone":false},{"id":5,"title":"b","isDone":false}]"#)
        }
    }
}
