import assert from "node:assert/strict"
import { test } from "node:test"
import { ActionRejected } from "../src/index.js"
import { strictReducer } from "./support/kind.js"
import { increment, settle, World } from "./support/world.js"

const counts = tab => tab.shown.map(({ count }) => count)
const never = (list, text) => assert.ok(list.every((value, i) => !i || value >= list[i - 1]), `${text}: ${list}`)

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

test("an entry is numbered and stored before it is sent", async () => {
    const world = new World()
    const { store } = await world.live({ storage: "indexeddb" })
    await settle()
    let rows
    world.network.fault = ({ kind }) => void (kind === "sync" && (rows = world.disk.rows.length))
    const promise = store.dispatch(increment())
    await promise.stored
    await promise
    assert.equal(rows, 1)
})

test("entries that come before the outbox is loaded wait, are shown in order when the state is there, and keep their order", async () => {
    const world = new World()
    const { store } = world.open()
    const ids = ["a", "b", "c"]
    const all = ids.map(id => store.dispatch({ type: "items/add", payload: { id } }))
    assert.equal(store.state, undefined)
    await Promise.all(all)
    assert.deepEqual(world.server.state.items, ids)
    assert.deepEqual(store.state.items, ids)
})

test("an event before the answer does not show the entry twice", async () => {
    const world = new World()
    const tab = await world.live()
    world.network.answerDelay = 50
    for (let i = 0; i < 5; i++) tab.store.dispatch(increment())
    await world.advance(10)
    await world.advance(500)
    never(counts(tab), "jumped back")
    assert.equal(tab.store.state.count, 5)
    assert.equal(Math.max(...counts(tab)), 5)
})

test("an answer before the event keeps the entry in the replay until its revision has come", async () => {
    const world = new World()
    const tab = await world.live()
    world.network.streamDelay = () => 50
    let isDone = false
    tab.store.dispatch(increment()).then(() => (isDone = true))
    await world.advance(20)
    assert.equal(tab.store.confirmed.count, 0)
    assert.equal(tab.store.state.count, 1)
    assert.equal(isDone, false)
    await world.advance(50)
    assert.equal(isDone, true)
    assert.equal(tab.store.confirmed.count, 1)
    never(counts(tab), "jumped back")
})

test("a lost answer whose event comes shows the entry once, and the repeat ends it", async () => {
    const world = new World()
    const tab = await world.live()
    world.network.fault = ({ kind, body }) => (kind === "sync" && body.entries.length && world.network.of("sync").length === 2 ? { loseAnswer: true } : {})
    const promise = tab.store.dispatch(increment())
    await settle()
    assert.equal(tab.store.confirmed.count, 1)
    assert.equal(tab.store.state.count, 1)
    assert.equal(tab.store.pending.length, 1)
    await world.advance(2000)
    assert.deepEqual(await promise, { outcome: "committed", revision: 1, effects: [] })
    assert.equal(world.server.log.length, 1)
})

test("views are told once for all events of one read", async () => {
    const world = new World()
    const tab = await world.live()
    world.network.streamDelay = () => 10
    tab.shown.length = 0
    for (let i = 0; i < 10; i++) world.server.act(increment())
    // Pieces that arrive together are one read.
    world.network.isPiecemeal = false
    await world.advance(10)
    assert.equal(tab.store.state.count, 10)
    assert.ok(tab.shown.length <= 10)
    never(counts(tab), "jumped back")
})

test("all events of one read are applied before anything is shown", async () => {
    const world = new World()
    const tab = world.open()
    world.server.act(increment(3))
    let seen
    tab.store.subscribe(() => (seen ??= tab.store.state.count))
    await settle()
    assert.equal(seen, 3)
    assert.deepEqual(counts(tab), [3])
})

test("after a connection the value is shown when ready has come", async () => {
    const world = new World()
    world.network.isPiecemeal = true
    world.network.streamDelay = (n => () => 10 * ++n)(0)
    const tab = world.open()
    await world.advance(25)
    assert.equal(tab.store.state, undefined)
    assert.equal(tab.store.connection.status, "connecting")
    await world.advance(10)
    assert.equal(tab.store.state.count, 0)
    assert.equal(tab.store.connection.status, "live")
})

test("a commit without a change ends by ready", async () => {
    const world = new World()
    const { store } = await world.live()
    assert.equal((await store.dispatch({ type: "touch" })).outcome, "committed")
    assert.equal(store.revision, 1)
})

test("a commit beside the selection ends by ready", async () => {
    const world = new World()
    const { store } = await world.live({ select: "/note", reducer: undefined })
    await store.dispatch(increment())
    assert.equal(store.state, "")
    assert.equal(store.revision, 1)
})

test("a rejected entry leaves, the others are replayed on the confirmed state, and the promise throws in the same turn", async () => {
    const world = new World()
    const tab = await world.live({ reducer: strictReducer })
    world.server.act(increment())
    await settle()
    world.network.answerDelay = 20
    world.network.streamDelay = () => 40
    const first = tab.store.dispatch({ type: "counter/strict" })
    const second = tab.store.dispatch(increment(10))
    const third = tab.store.dispatch(increment(100))
    assert.equal(tab.store.state.count, 112)
    let atRejection
    first.catch(() => (atRejection = tab.store.state.count))
    await world.advance(500)
    assert.equal(atRejection, 111)
    await assert.rejects(first, error => {
        assert.ok(error instanceof ActionRejected)
        assert.equal(error.name, "ActionRejected")
        assert.equal(error.reason, "strict")
        assert.equal(error.outcome, "rejected")
        assert.equal(error.revision, 1)
        assert.equal(error.action.type, "counter/strict")
        return true
    })
    await Promise.all([second, third])
    assert.equal(tab.store.state.count, 111)
    assert.equal(tab.store.refusals.length, 1)
})

test("an entry is rejected while others commit, and the shown state is right at each moment", async () => {
    const world = new World()
    const { store } = await world.live({ reducer: strictReducer })
    world.server.act(increment())
    world.network.answerDelay = 30
    const rejected = store.dispatch({ type: "counter/strict" })
    world.server.act(increment(5))
    await assert.rejects(Promise.all([rejected, world.advance(200)]))
    assert.equal(store.state.count, 6)
})

test("an ignored entry leaves silently", async () => {
    const world = new World()
    const { store } = await world.live()
    assert.equal((await store.dispatch({ type: "nothing" })).outcome, "ignored")
    assert.deepEqual(store.refusals, [])
})

test("mismatched and refused entries throw with the problem", async () => {
    const world = new World()
    const { store } = await world.live()
    world.server.act(increment())
    await assert.rejects(store.dispatch(increment(), { ifMatch: "0.h1" }), { outcome: "mismatched", reason: "revision-mismatch" })
    await assert.rejects(store.dispatch({ type: "internal" }), { outcome: "refused", reason: "internal-action" })
    assert.equal((await store.dispatch(increment(), { ifMatch: store.etag })).revision, 2)
})

test("pending entries are rebased on the commits of others", async () => {
    const world = new World()
    const { store } = await world.live()
    world.network.answerDelay = 50
    store.dispatch({ type: "items/add", payload: { id: "mine" } })
    assert.deepEqual(store.state.items, ["mine"])
    world.network.isDown = true
    await world.advance(100)
    world.server.act({ type: "items/add", payload: { id: "theirs" } })
    world.network.isDown = false
    await world.advance(5000)
    assert.deepEqual(store.state.items, world.server.state.items)
    assert.equal(store.state.items.length, 2)
})

test("entries that are not sent yet are replayed behind the commits of others", async () => {
    const world = new World()
    world.network.fault = ({ kind }) => (kind === "sync" ? { status: 503, body: { code: "draining" } } : {})
    const { store } = await world.live()
    store.dispatch({ type: "items/add", payload: { id: "mine" } })
    await settle()
    world.server.act({ type: "items/add", payload: { id: "theirs" } })
    await settle()
    assert.deepEqual(store.state.items, ["theirs", "mine"])
    assert.deepEqual(store.confirmed.items, ["theirs"])
})

test("await reads its own writes", async () => {
    const world = new World()
    const { store } = await world.live()
    for (const delays of [[0, 30], [30, 0]]) {
        ;[world.network.answerDelay, world.network.streamDelay] = [delays[0], () => delays[1]]
        const before = world.server.state.count
        const done = store.dispatch(increment()).then(() => assert.equal(store.confirmed.count, before + 1))
        await world.advance(100)
        await done
    }
})

test("secret, blind and unpredictable actions change nothing until the server has decided", async () => {
    const world = new World()
    const { store } = await world.live({ secret: ["note/set"] })
    world.network.answerDelay = 30
    const actions = [
        [{ type: "note/set", payload: { text: "x" } }, {}],
        [increment(), { predicts: false }],
        [{ type: "server/only" }, {}],
        [{ type: "broken" }, {}],
    ]
    for (const [action, options] of actions) {
        const before = store.state
        const promise = store.dispatch(action, options)
        assert.equal(store.state, before)
        assert.equal(store.pending.length, 1)
        await world.advance(100)
        await promise
        assert.notEqual(store.state, before)
    }
})

test("an entry of several actions is predicted whole or not at all", async () => {
    const world = new World()
    const { store } = await world.live()
    world.network.isDown = true
    store.dispatch([increment(), { type: "server/only" }])
    assert.equal(store.state.count, 0)
    store.dispatch([increment(), increment()])
    assert.equal(store.state.count, 2)
    store.dispatch([increment(), { type: "counter/limited", payload: { most: 1 } }])
    assert.equal(store.state.count, 2)
    assert.equal(store.pending[2].reason, "too-many")
})

test("actions are not predicted where the server has another version of the kind", async () => {
    const world = new World()
    const { store, reports } = await world.live({ version: "1.b" })
    world.network.answerDelay = 30
    const promise = store.dispatch(increment())
    assert.equal(store.state.count, 0)
    await world.advance(100)
    await promise
    assert.equal(store.state.count, 1)
    assert.deepEqual(reports.filter(({ kind }) => kind === "version").length, 1)
})

test("an action that the local rules reject is sent all the same, and pending shows the reason", async () => {
    const world = new World()
    const { store } = await world.live({ reducer: strictReducer })
    world.network.answerDelay = 30
    const promise = store.dispatch({ type: "counter/lenient" })
    assert.equal(store.state.count, 0)
    assert.equal(store.pending[0].reason, "closed")
    await world.advance(100)
    assert.equal((await promise).outcome, "committed")
    assert.equal(store.state.count, 1)
})

test("an effect runs on the server only, and settled waits for its end", async () => {
    const world = new World()
    const { store } = await world.live({ effects: true })
    const promise = store.dispatch({ type: "call/start", payload: { effects: ["call"] } })
    assert.equal(store.state.isLoading, true)
    await promise
    let settled
    promise.settled.then(value => (settled = value))
    await settle()
    assert.equal(settled, undefined)
    world.server.event("effect", { effect: "call", phase: "started", cause: 1 })
    world.server.event("effect", { effect: "call", phase: "succeeded", cause: 1 })
    world.server.act({ type: "call/end", payload: { text: "done" } })
    await settle()
    assert.equal(settled, true)
    assert.equal(store.state.note, "done")
})

test("settled knows effects that ended before the answer came", async () => {
    const world = new World()
    const { store } = await world.live({ effects: true })
    world.network.answerDelay = 50
    const promise = store.dispatch({ type: "call/start", payload: { effects: ["call"] } })
    await world.advance(60)
    world.server.event("effect", { effect: "call", phase: "failed", cause: 1 })
    await world.advance(100)
    assert.equal(await promise.settled, true)
})

test("settled is false where the stream was lost or has no effects", async () => {
    const world = new World()
    const without = await world.live()
    const first = without.store.dispatch({ type: "call/start", payload: { effects: ["call"] } })
    assert.equal(await first.settled, false)
    const tab = await world.live({ effects: true })
    const second = tab.store.dispatch({ type: "call/start", payload: { effects: ["call"] } })
    await second
    world.server.cut()
    await settle()
    assert.equal(await second.settled, false)
})

test("an event that names nobody waits for ready, where it may contain an own entry", async () => {
    const world = new World()
    const tab = await world.live()
    await tab.store.dispatch({ type: "touch" })
    world.server.namesNobody = true
    world.network.isPiecemeal = true
    world.network.answerDelay = 100
    world.network.streamDelay = (n => () => 10 * ++n)(0)
    tab.shown.length = 0
    tab.store.dispatch(increment())
    await world.advance(15)
    await world.advance(500)
    never(counts(tab), "jumped back")
    assert.equal(Math.max(...counts(tab)), 1)
    world.server.act(increment())
    await world.advance(500)
    assert.equal(tab.store.state.count, 2)
})

test("an unchanged part of the state keeps its identity", async () => {
    const world = new World()
    const { store } = await world.live()
    await store.dispatch({ type: "items/add", payload: { id: "a" } })
    const { items } = store.state
    await store.dispatch(increment())
    assert.equal(store.state.items, items)
})

test("pending is the same array until it changes", async () => {
    const world = new World()
    const { store } = await world.live()
    world.network.isDown = true
    store.dispatch(increment())
    assert.equal(store.pending, store.pending)
})

test("an app may read the JSON of events in its own way", async () => {
    const world = new World()
    const parse = text => JSON.parse(text, (name, value) => (name === "note" ? `a ${value}` : value))
    const { store } = await world.live({ parse })
    world.server.act({ type: "note/set", payload: { text: "book" } })
    await settle()
    assert.equal(store.confirmed.note, "book") // the value of a patch has another name
    const other = await world.live({ parse })
    assert.equal(other.store.confirmed.note, "a book")
})
