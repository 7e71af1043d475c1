import assert from "node:assert/strict"
import { test } from "node:test"
import { ConnectionEnded } from "../src/index.js"
import { add, increment, reducer, settle, World } from "./support/world.js"

/** What the console shows of the faults of a page. */
const consoleOf = context => {
    const { mock } = context.mock.method(console, "error", () => {})
    return () => mock.calls.map(({ arguments: told }) => told)
}

const onPut = fault => request => (request.kind === "PUT" ? fault() : {})
const noStore = { status: 404, code: "no-such-store", detail: "No store has this name." }

test("a session that cannot be made ends the connection, and the page learns the reason", async context => {
    const shown = consoleOf(context)
    for (const status of [400, 403, 404, 409, 422]) {
        const world = new World()
        const problem = { ...noStore, status }
        world.network.isMissing = true
        world.network.fault = onPut(() => ({ status, body: problem }))
        const tab = await world.live({ create: "tset" })
        const lost = tab.store.dispatch(increment())
        await assert.rejects(Promise.all([tab.store.ready, lost]), ConnectionEnded)
        assert.deepEqual(tab.store.connection, { status: "ended", isStale: true, reason: "refused", problem })
        const { length } = world.network.requests
        await world.advance(100000)
        assert.equal(world.network.requests.length, length)
        await assert.rejects(tab.store.ready, { message: noStore.detail, reason: "refused", problem })
        assert.equal(shown()[0][0].message, noStore.detail)
    }
})

test("a session that cannot be made now is asked for again", async () => {
    const passing = [
        { status: 401, body: { code: "unauthorized" } }, { status: 429, body: { code: "too-many-sessions" }, headers: { "Retry-After": "50" } },
        { status: 503, body: { code: "draining" } }, { status: 404, body: "<html>", type: "text/html" }, { loseRequest: true },
    ]
    for (const fault of passing) {
        const world = new World()
        let left = 1
        world.network.isMissing = true
        world.network.fault = onPut(() => (left-- > 0 ? fault : {}))
        const tab = await world.live({ create: "test" })
        await world.advance(49000)
        assert.equal(tab.store.connection.status, fault.headers ? "offline" : "live")
        await world.advance(60000)
        assert.equal(tab.store.connection.status, "live")
    }
})

test("a session of another kind than create names ends the connection before its state is shown", async context => {
    const shown = consoleOf(context)
    const world = new World()
    const { store, shown: states } = await world.live({ create: "other" })
    assert.equal(store.connection.reason, "refused")
    assert.equal(store.connection.problem.detail, "The session is of the store test, not other.")
    assert.deepEqual(states, [])
    assert.equal(world.network.open, 0)
    assert.equal(shown()[0][0].message, store.connection.problem.detail)
    await world.advance(100000)
    assert.equal(world.network.requests.length, 1)
    assert.equal((await world.live({ create: "test" })).store.connection.status, "live")
    assert.equal((await world.live({ create: true })).store.connection.status, "live")
})

test("a reducer that throws is told once for each type of action, and the entry stays pending", async context => {
    const shown = consoleOf(context)
    const world = new World()
    const faulty = (state, action) => {
        if (action.type === "items/add") throw new Error("no items")
        return reducer(state, action)
    }
    const { store, reports } = await world.live({ reducer: faulty })
    store.onReport(({ kind, action }) => kind === "reducer" && action.payload?.id === "a" && store.dispatch(increment()))
    world.network.answerDelay = 1000
    store.dispatch([increment(), add("a")])
    const second = store.dispatch(add("b"))
    assert.deepEqual(reports, [])
    await settle()
    assert.deepEqual(store.pending.map(({ actions }) => actions.length), [2, 1, 1])
    assert.deepEqual([store.state.count, store.state.items], [1, []])
    store.dispatch({ type: "broken" })
    await world.advance(5000)
    await second
    const told = reports.map(({ kind, action, error }) => [kind, action.type, error.message])
    assert.deepEqual(told, [["reducer", "items/add", "no items"], ["reducer", "broken", "this reducer cannot run the action"]])
    assert.deepEqual(shown().map(([kind, { message }]) => [kind, message]), told.map(([kind, , message]) => [kind, message]))
    assert.deepEqual(store.state.items, ["a", "b"])
    assert.deepEqual(store.pending, [])
})

test("onConnection tells the present connection at once", async () => {
    const world = new World()
    const { store } = world.open()
    const heard = []
    const stop = store.onConnection(({ status }) => heard.push(status))
    assert.deepEqual(heard, ["connecting"])
    await settle()
    await world.advance(10)
    assert.deepEqual(heard, ["connecting", "live"])
    stop()
    store.close()
    assert.deepEqual(heard, ["connecting", "live"])
    store.onConnection(({ reason }) => heard.push(reason))
    assert.equal(heard.at(-1), "closed")
})

test("an action that is wrong is in the console, also if nobody catches it; one that the rules reject is not", async context => {
    const shown = consoleOf(context)
    const world = new World()
    const { store } = await world.live()
    store.dispatch({ type: "unknown" })
    store.dispatch({ type: "counter/limited", payload: { most: 0 } })
    await world.advance(1000)
    assert.deepEqual(store.refusals.map(({ outcome }) => outcome), ["refused", "rejected"])
    assert.deepEqual(shown(), [[store.refusals[0]]])
})

test("an action that is not sent is in the console, also if nobody catches it", async context => {
    const shown = consoleOf(context)
    const world = new World()
    const { store } = await world.live()
    store.dispatch(undefined)
    store.dispatch({ type: "note/set", payload: { text: "x".repeat(70000) } })
    store.close()
    store.dispatch(increment())
    await settle()
    assert.deepEqual(shown().map(([{ name }]) => name), ["TypeError", "OutboxFull", "ConnectionEnded"])
})
