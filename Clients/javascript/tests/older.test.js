import assert from "node:assert/strict"
import { test } from "node:test"
import { add, increment, settle, World } from "./support/world.js"

async function old() {
    const world = new World()
    world.server.isOld = true
    const tab = world.open()
    await world.advance(3000)
    return { world, ...tab }
}

test("a server without ready: its first value is shown after two seconds, and the app is told", async () => {
    const { store, reports } = await old()
    assert.equal(store.connection.status, "live")
    assert.equal(store.state.count, 0)
    assert.deepEqual(reports, [{ kind: "old", lacks: "ready" }])
})

test("a page that was frozen before ready does not take the server for an old one", async () => {
    for (const frozen of [2000, 2500, 60000]) {
        const world = new World()
        const delays = [0, 0, 50] // of the comment, the state and `ready`
        world.network.streamDelay = () => delays.shift() ?? 0
        const tab = await world.live()
        tab.freeze()
        await world.advance(frozen)
        tab.thaw()
        for (let i = 0; i < 8; i++) await settle()
        await world.advance(2000)
        assert.deepEqual(tab.reports, [])
        assert.equal(tab.store.etag, "0.h1")
    }
})

test("a server without sync: entries are sent one by one, with idempotency keys, and without a prediction", async () => {
    const { world, store, reports } = await old()
    const faults = [{}, { loseAnswer: true }]
    world.network.fault = ({ kind }) => (kind === "actions" ? faults.shift() ?? {} : {})
    const all = [store.dispatch(add(1)), store.dispatch([add(2), increment()]), store.dispatch({ type: "internal" })]
    await Promise.allSettled([...all, world.advance(10000)])
    assert.deepEqual(world.server.state.items, [1, 2])
    assert.equal((await all[1]).outcome, "committed")
    await assert.rejects(all[2], { outcome: "refused", reason: "internal-action" })
    assert.ok(reports.some(({ lacks }) => lacks === "sync"))
    assert.deepEqual(world.network.of("sync").length, 1)
    const before = store.state
    store.dispatch(increment())
    assert.equal(store.state, before)
    await settle()
    assert.equal(store.state.count, 2)
    assert.deepEqual(store.pending, [])
})
