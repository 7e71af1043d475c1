import assert from "node:assert/strict"
import { test } from "node:test"
import { ActionRejected } from "../src/index.js"
import { strictReducer } from "./support/kind.js"
import { increment, settle, World } from "./support/world.js"

test("an action is shown and told in the same turn", async () => {
    const world = new World()
    const { store, shown } = await world.live()
    shown.length = 0
    store.dispatch(increment(2))
    assert.equal(store.state.count, 2)
    assert.equal(store.confirmed.count, 0)
    assert.deepEqual(shown.map(({ count }) => count), [2])
    assert.equal(store.pending.length, 1)
    await store.flush()
    assert.equal(store.confirmed.count, 2)
    assert.deepEqual(store.pending, [])
})
