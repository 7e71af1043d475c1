import Sockets
import Threads

// The budget of what connections hold of unfinished requests.
extension ConnectionManager {
    /// A connection of this loop holds more bytes, or fewer.
    func countInput(_ change: Int) {
        contents.value.heldInput += change
        settings.input.add(change)
    }

    /// Whether a request of so many bytes may wait for its rest.
    func admitsInput(_ byteCount: Int) -> Bool {
        let input = settings.input
        return (byteCount <= InputBudget.smallRequest || !contents.value.isInputStuck) && input.hasMemory(byteCount)
    }

    /// Whether nothing can be cut for a body of so many bytes that has arrived. Short ones always find room.
    func refusesBody(_ byteCount: Int) -> Bool {
        byteCount > InputBudget.smallRequest && contents.value.isInputStuck
    }

    /// Cuts the oldest unfinished requests of this loop, as far as it holds more than its share of the budget.
    func cutInput(loops: Int) async {
        await withTaskExecutorPreference(loop) {
            // Not after the end of the loop.
            if loop.isCurrent { cutOldestInput(loops: loops) }
        }
    }

    private func cutOldestInput(loops: Int) {
        let (contents, limit) = (contents.value, settings.input.limit)
        let excess = InputCutter.excess(of: contents.heldInput, limit: limit, loops: loops)
        if excess > 0, settings.input.heldBytes > limit {
            let holders = contents.open.filter { $0.cuttableInput > 0 }
            let chosen = InputCutter.choose(
                from: holders.map { UnfinishedInput(heldBytes: $0.cuttableInput, age: $0.inputAge) }, excess: excess)
            for index in chosen { holders[index].cutInput() }
            settings.input.countCut(chosen.count)
        }
        // Bodies that are being handled cannot be cut, so further large ones are refused until some are done.
        contents.isInputStuck = settings.input.heldBytes > limit && contents.heldInput > limit / max(1, loops)
        if contents.isInputStuck { awaitInputRoom(loops: loops) }
    }

    /// Looks again soon whether large requests find room.
    private func awaitInputRoom(loops: Int) {
        guard !contents.value.awaitsInputRoom else { return }
        contents.value.awaitsInputRoom = true
        _ = loop.schedule(after: .milliseconds(100)) { [self] in
            contents.value.awaitsInputRoom = false
            if contents.value.isInputStuck { cutOldestInput(loops: loops) }
        }
    }
}

extension InputCutter {
    convenience init(_ managers: [ConnectionManager]) {
        self.init(managers.map { manager in { await manager.cutInput(loops: managers.count) } })
    }
}
