import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct PlannerPropertyTests {
    /// The expected trends, counted by other means: by comparing the tasks before and after.
    fileprivate struct Count: Equatable {
        var added = 0
        var completed = 0
        var removed = 0

        mutating func compare(_ before: Tasks, _ after: Tasks) {
            for id in after.table.ids {
                if before.table[id] == nil { added += 1 }
                if before.table[id]?.isDone == false, after.table[id]?.isDone == true { completed += 1 }
            }
            removed += before.table.ids.filter { after.table[$0] == nil }.count
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func tasksStayNormalizedAndTrendsAgree(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var state = Planner()
        var count = Count()
        var given: Set<Int> = []
        for _ in 1...300 {
            let action = action(&generator)
            let before = state
            let decision = Planner.store.reducer.apply(action, to: &state)
            if decision != .accept { #expect(state == before) }
            if action == Planner.trends(Trends.reset()) {
                count = Count()
            } else {
                count.compare(before.tasks, state.tasks)
            }
            #expect(count == Count(state.trends))
            expectNormalized(state.tasks)
            for id in state.tasks.table.ids where before.tasks.table[id] == nil {
                #expect(given.insert(id).inserted, "given twice: \(id)")
            }
            #expect(state.favoriteTasks.map(\.id) == state.tasks.table.ids.filter(state.tasks.favorited.contains))
        }
    }

    private func expectNormalized(_ tasks: Tasks) {
        let ids = tasks.table.ids
        #expect(Set(ids).count == ids.count)
        #expect(ids.elementsEqual(tasks.table.ordered.map(\.id)))
        #expect(Set(tasks.favorited).count == tasks.favorited.count)
        #expect(Set(tasks.favorited).isSubset(of: ids))
    }

    private func action(_ generator: inout SeededGenerator) -> StoreAction<Planner> {
        let id = Int.random(in: 0...20, using: &generator)
        let number = Int.random(in: 0...12, using: &generator)
        return switch Int.random(in: 0...20, using: &generator) {
        case 0...4: Planner.tasks(Tasks.add("task \(number)", nil))
        case 5...10: Planner.tasks(Tasks.edit(id, "\(number)", nil, number.isMultiple(of: 2)))
        case 11...13: Planner.tasks(Tasks.favorite(id))
        case 14: Planner.tasks(Tasks.unfavorite(id))
        case 15...16: Planner.tasks(Tasks.move(id, number))
        case 17...18: Planner.tasks(Tasks.remove(id))
        case 19: Planner.trends(Trends.reset())
        default: Planner.calendar(Calendar.selectDay(nil))
        }
    }
}

extension PlannerPropertyTests.Count {
    fileprivate init(_ trends: Trends) {
        self.init(added: trends.added, completed: trends.completed, removed: trends.removed)
    }
}
