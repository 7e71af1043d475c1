import assert from "node:assert/strict"
import { after, test } from "node:test"
import { connect } from "../storehouse.js"
import * as session from "./support/session.js"

const { live, options, placeBet, reducer, start, until } = session
const increment = session.increment()
Math.random = () => 0.02 // the client waits for a random time before it tries again

const { program, relay, url, stop } = await start()
after(stop)

/** @param {string} resource @param {string} [method] @param {any} [body] */
const ask = (resource, method, body) => session.ask(relay, resource, method, body)

/** Opens a store of a new session. @param {import("node:test").TestContext} t @param {any} [options] */
async function open(t, options) {
    const { links } = await ask("/sessions", "POST", {})
    const store = await session.open(t, url + links.self, options)
    return { store, self: links.self, post: action => ask(links.actions, "POST", action) }
}

test("an action is shown at once, and done when the confirmed state contains it", options, async t => {
    const { store, post } = await open(t)
    const sent = store.dispatch(increment)
    assert.deepEqual([store.state.counter.count, store.confirmed.counter.count], [1, 0])
    assert.deepEqual(await sent, { outcome: "committed", revision: 1, effects: [] })
    assert.equal(store.confirmed.counter.count, 1)
    assert.deepEqual(store.pending, [])
    await post(increment)
    await until(store, () => store.confirmed.counter.count === 2)
    assert.match(store.etag, /^2\../)
})

test("an entry whose answers are lost is committed once", options, async t => {
    const { store, self } = await open(t)
    await store.dispatch(increment)
    relay.answersToLose = 3
    await Promise.all([store.dispatch(increment), store.dispatch([increment, increment])])
    assert.equal(store.state.counter.count, 4)
    assert.equal((await ask(`${self}/actions`)).actions.length, 4)
})

test("the outcome comes with the event where no answer arrives", options, async t => {
    const { store } = await open(t)
    await store.dispatch(increment)
    relay.answersToLose = Infinity
    store.dispatch(increment)
    await until(store, () => store.confirmed.counter.count === 2)
    assert.equal(store.state.counter.count, 2)
    relay.answersToLose = 0
    await store.flush()
    assert.equal(store.state.counter.count, 2)
})

test("a refused entry between two others goes away alone, with its reason", options, async t => {
    const { store } = await open(t)
    const first = store.dispatch(increment)
    const refused = store.dispatch(placeBet)
    const last = store.dispatch(increment)
    assert.equal(store.pending[1].reason, "empty-betslip")
    await assert.rejects(refused, { name: "ActionRejected", reason: "empty-betslip", revision: 1 })
    assert.deepEqual([(await first).revision, (await last).revision], [1, 2])
    assert.equal(store.refusals.length, 1)
    await assert.rejects(store.dispatch([increment, placeBet]), { reason: "empty-betslip" })
    assert.equal(store.state.counter.count, 2)
    await assert.rejects(store.dispatch(increment, { ifMatch: "1", predicts: false }), { outcome: "mismatched" })
    await assert.rejects(store.dispatch({ type: "no/such" }), { outcome: "refused" })
    assert.equal(store.state.counter.count, 2)
})

test("a commit outside the selection, and one that changes nothing, are done too", options, async t => {
    const { store } = await open(t, { select: "/betslip", reducer: undefined })
    assert.equal((await store.dispatch(increment)).revision, 1)
    assert.equal((await store.dispatch({ type: "settings/update", payload: { theme: "system" } })).outcome, "committed")
})

test("a hundred actions that wait leave in one request", options, async t => {
    const { store } = await open(t)
    await store.dispatch(increment)
    const { length } = relay.requests
    for (let i = 0; i < 101; i++) store.dispatch(increment)
    assert.equal(store.state.counter.count, 102)
    await store.flush()
    assert.equal(store.confirmed.counter.count, 102)
    assert.ok(relay.requests.length - length <= 3)
})

test("a stream that was cut goes on where it ended", options, async t => {
    const { store, self, post } = await open(t)
    await post(increment)
    await until(store, () => store.state.counter.count === 1)
    for (const commits of [0, 1]) {
        const lost = until(store, () => store.connection.status !== "live")
        relay.cut()
        await lost
        if (commits) await post(increment)
        const before = store.confirmed.tasks
        await live(store)
        assert.equal(store.state.counter.count, 1 + commits)
        assert.equal(store.confirmed.tasks, before) // a state instead of a patch would be another object
        assert.match(relay.requests.filter(({ path }) => path.startsWith(`${self}/events`)).at(-1)?.lastEventId ?? "", /-1$/)
    }
})

test("actions of a server that is killed and started again are committed once", options, async t => {
    const { store, self } = await open(t)
    const reports = []
    store.onReport(report => reports.push(report))
    await store.dispatch(increment)
    for (const fault of ["request", "answer"]) {
        const sent = relay.fault
        // The server dies before it has read an entry, or after it has committed it.
        const died = new Promise(resolve => {
            relay.fault = method => {
                if (method === "POST") resolve(undefined)
                return method === "POST" ? fault : undefined
            }
        })
        const promise = store.dispatch(increment)
        if (fault === "answer") await until(store, () => store.confirmed.counter.count === store.state.counter.count)
        await died
        relay.target = 0
        await program.stop()
        relay.cut()
        relay.fault = sent
        await until(store, () => store.connection.isStale)
        store.dispatch(increment)
        relay.target = await program.start()
        await promise
        await store.flush()
        await live(store)
    }
    assert.equal(store.confirmed.counter.count, 5)
    assert.equal((await ask(`${self}/actions`)).actions.length, 5)
    assert.deepEqual(reports, [])
})

test("a session that ends ends its stores", options, async t => {
    const { store, self } = await open(t)
    const ended = until(store, () => store.connection.status === "ended")
    await ask(self, "DELETE")
    await ended
    assert.equal(store.connection.reason, "session-ended")
    await assert.rejects(store.dispatch(increment), { name: "ConnectionEnded", reason: "session-ended" })
})

test("a server that lost all makes the session again, and tells that outcomes are unknown", options, async t => {
    const { program, relay, url, stop } = await start({ storage: "memory" })
    t.after(stop)
    const store = connect(`${url}/sessions/${"a".repeat(22)}`, { reducer, create: "app" })
    t.after(() => store.close())
    await store.ready
    await store.dispatch(increment)
    const kinds = []
    store.onReport(({ kind }) => kinds.push(kind))
    relay.answersToLose = Infinity
    const lost = store.dispatch(increment)
    await until(store, () => store.confirmed.counter.count === 2)
    relay.target = 0
    await program.stop()
    relay.cut()
    relay.answersToLose = 0
    relay.target = await program.start()
    await live(store)
    await lost.catch(error => assert.equal(error.name, "OutcomeUnknown"))
    await store.dispatch(increment)
    assert.deepEqual(kinds, ["history", "unknown"])
    assert.equal(store.state.counter.count, 1)
})

test("a server that was restored from a backup goes on with the outbox, and tells of the new history", options, async t => {
    const { program, relay, url, stop } = await start()
    t.after(stop)
    const store = connect(`${url}/sessions/${"c".repeat(22)}`, { reducer, create: "app" })
    t.after(() => store.close())
    await store.ready
    await store.dispatch(increment)
    program.backUp()
    for (let i = 0; i < 3; i++) await store.dispatch(increment)
    const kinds = []
    store.onReport(({ kind }) => kinds.push(kind))
    relay.answersToLose = Infinity
    const doubtful = store.dispatch(increment)
    await until(store, () => store.confirmed.counter.count === 5)
    relay.target = 0
    await program.stop()
    relay.cut()
    program.restore()
    relay.answersToLose = 0
    const waits = store.dispatch(increment)
    relay.target = await program.start()
    await Promise.all([doubtful, waits])
    await live(store)
    assert.deepEqual(kinds, ["history"])
    // The restored session had one, and the two that had no outcome were sent again.
    assert.equal(store.confirmed.counter.count, 3)
    assert.equal(store.state.counter.count, 3)
})

test("what is over a rate limit waits for as long as the server says", options, async t => {
    const { relay, url, stop } = await start({ settings: ["limits.actions.rate=20", "limits.actions.burst=5"] })
    t.after(stop)
    const store = await session.open(t, `${url}/sessions/${"b".repeat(22)}`, { create: "app" })
    const waits = Array.from({ length: 15 }, () => store.dispatch(increment))
    await Promise.all(waits)
    assert.equal(store.confirmed.counter.count, 15)
    const posts = relay.requests.filter(({ method }) => method === "POST").length
    assert.ok(posts <= 15, `${posts} requests`)
})
