import assert from "node:assert/strict"
import { test } from "node:test"
import { OutboxFull, OutcomeUnknown } from "../src/index.js"
import { add, increment, settle, World } from "./support/world.js"

const problem = (status, code, headers) => ({ status, body: { status, code }, headers })
const after = (world, promise) => Promise.all([promise, world.advance(20000)])
/** A fault for requests with entries. */
const onEntries = fault => (request, n) => (request.kind === "sync" && request.body.entries.length ? fault(request, n) : {})

test("a record begins before the first entry, once, and not with the page", async () => {
    const world = new World()
    const { store } = await world.live()
    assert.equal(world.network.of("sync").length, 0)
    await store.dispatch(increment())
    await store.dispatch(increment())
    const [begin, first, second] = world.network.of("sync").map(({ body }) => body)
    assert.deepEqual({ ...begin, client: 0 }, { client: 0, new: true, from: 1, entries: [] })
    assert.match(begin.client, /^[\w-]{22,64}$/)
    assert.deepEqual([first.new, first.from, second.new, second.from], [undefined, 1, undefined, 2])
    assert.deepEqual(Object.keys(first), ["client", "from", "entries"])
})

test("entries wait until the client is told of its record", async () => {
    const world = new World()
    const { store } = await world.live()
    let answers = 0
    world.network.fault = ({ kind }) => (kind === "sync" && answers++ < 2 ? { loseAnswer: true } : {})
    store.dispatch(increment())
    await world.advance(10000)
    assert.deepEqual(world.network.of("sync").map(({ body }) => !!body.new), [true, true, true, false])
    assert.equal(world.server.state.count, 1)
})

test("one request is in flight at a time, and 100 entries go in one", async () => {
    const world = new World()
    const { store } = await world.live()
    world.network.answerDelay = 50
    const began = world.clock.time
    const all = Promise.all(Array.from({ length: 100 }, (_, i) => store.dispatch(add(i)))).then(() => world.clock.time)
    await world.advance(1000)
    assert.deepEqual(world.network.entries, [0, 100])
    assert.ok((await all) - began <= 150)
    assert.deepEqual(world.server.state.items, Array.from({ length: 100 }, (_, i) => i))
})

test("entries of one turn go in one request", async () => {
    const world = new World()
    const { store } = await world.live()
    await store.dispatch(increment())
    const before = world.network.of("sync").length
    await Promise.all(Array.from({ length: 100 }, () => store.dispatch(increment())))
    assert.equal(world.network.of("sync").length - before, 1)
})

test("200 entries keep their order, at most 100 a request", async () => {
    const world = new World()
    const { store } = await world.live()
    world.network.answerDelay = 5
    for (let i = 0; i < 200; i++) store.dispatch(add(i))
    await world.advance(100)
    assert.deepEqual(world.network.entries, [0, 100, 100])
    assert.deepEqual(world.server.state.items, Array.from({ length: 200 }, (_, i) => i))
})

test("a request has at most as many bytes as ready.maxBody, and a single larger entry throws at once", async () => {
    const world = new World()
    world.server.maxBody = 2000
    const { store } = await world.live()
    for (let i = 0; i < 20; i++) store.dispatch(add("ü".repeat(200) + i))
    await world.advance(1000)
    assert.equal(world.server.state.items.length, 20)
    assert.ok(world.network.of("sync").every(({ bytes }) => bytes <= 2000))
    assert.ok(world.network.entries.length <= 8)
    await assert.rejects(store.dispatch(add("x".repeat(3000))), OutboxFull)
    assert.equal(store.pending.length, 0)
})

for (const status of [408, 429, 500, 502, 503, 504]) {
    test(`${status} leads to the same request again`, async () => {
        const world = new World()
        const { store } = await world.live()
        let left = 3
        world.network.fault = onEntries(() => (left-- > 0 ? problem(status, "some") : {}))
        const promise = store.dispatch(increment())
        await world.advance(30000)
        assert.equal((await promise).revision, 1)
        const bodies = world.network.of("sync").slice(1).map(({ body }) => JSON.stringify(body))
        assert.equal(bodies.length, 4)
        assert.equal(new Set(bodies).size, 1)
    })
}

test("an answer that is lost ten times leads to one commit", async () => {
    const world = new World()
    const { store } = await world.live()
    let left = 10
    world.network.fault = onEntries(() => ({ loseAnswer: left-- > 0 }))
    const promise = store.dispatch(increment())
    await world.advance(400000)
    assert.deepEqual(await promise, { outcome: "committed", revision: 1, effects: [] })
    assert.equal(world.server.log.length, 1)
})

test("a request that is lost or never answered is repeated", async () => {
    const world = new World()
    const { store } = await world.live()
    const faults = [{ loseRequest: true }, { hang: true }]
    world.network.fault = onEntries(() => faults.shift())
    const promise = store.dispatch(increment())
    await world.advance(60000)
    await promise
    assert.equal(world.server.log.length, 1)
})

test("a page of a proxy with status 200 or 403 is no answer", async () => {
    const world = new World()
    const { store } = await world.live()
    const faults = [{ status: 200, body: "<html>" }, { status: 403, body: "<html>" }, { status: 200, body: {} }, { status: 404, body: {} }]
    world.network.fault = onEntries(() => faults.shift())
    const promise = store.dispatch(increment())
    await world.advance(60000)
    assert.equal((await promise).outcome, "committed")
})

test("Retry-After is the least time until a repeat, also if something hurries", async () => {
    const world = new World()
    const tab = await world.live()
    let left = 1
    world.network.fault = onEntries(() => (left-- > 0 ? problem(429, "rate-limited", { "Retry-After": "20" }) : {}))
    tab.store.dispatch(increment())
    await world.advance(5000)
    tab.hear("online")
    await world.advance(14000)
    assert.equal(world.server.log.length, 0)
    await world.advance(2000)
    assert.equal(world.server.log.length, 1)
})

test("online repeats a request that failed for want of a network, at most once a second", async () => {
    const world = new World()
    world.random = () => 0.999
    const tab = await world.live()
    world.network.isDown = true
    tab.store.dispatch(increment())
    await world.advance(20000)
    world.network.isDown = false
    tab.hear("online")
    await settle()
    await world.advance(1000)
    await settle()
    assert.equal(world.server.log.length, 1)
})

test("the rest of a request that a limit ended comes after retryAfter", async () => {
    const world = new World()
    const { store } = await world.live()
    world.server.limit = 2
    const all = [1, 2, 3, 4].map(id => store.dispatch(add(id)))
    await settle()
    assert.deepEqual(world.server.state.items, [1, 2])
    await world.advance(2400)
    assert.equal(world.network.entries.length, 2)
    await world.advance(200)
    await Promise.all(all)
    assert.deepEqual(world.server.state.items, [1, 2, 3, 4])
    assert.equal(world.network.of("sync").at(-1).body.from, 3)
})

test("413 splits a request, and refuses the entry that alone is too large", async () => {
    const world = new World()
    const { store } = await world.live()
    world.server.maxBody = 600
    const large = store.dispatch(add("x".repeat(1000)))
    const all = Array.from({ length: 10 }, (_, i) => store.dispatch(add(i)))
    await assert.rejects(Promise.all([large, world.advance(1000)]), { outcome: "refused", reason: "body-too-large" })
    await world.advance(1000)
    await Promise.all(all)
    assert.deepEqual(world.server.state.items, Array.from({ length: 10 }, (_, i) => i))
})

test("a request of a wrong form refuses the wrong entry alone", async () => {
    const world = new World()
    const { store } = await world.live()
    const all = [store.dispatch(add(1)), store.dispatch({ kind: "no type" }), store.dispatch(add(2))]
    await assert.rejects(all[1], { outcome: "refused", reason: "invalid-payload" })
    await Promise.all([all[0], all[2]])
    assert.deepEqual(world.server.state.items, [1, 2])
})

test("results come in order, and an entry is atomic", async () => {
    const world = new World()
    const { store } = await world.live()
    const order = []
    const all = [
        store.dispatch(add(1)),
        store.dispatch([add(2), { type: "counter/limited", payload: { most: 0 } }]),
        store.dispatch([add(3), add(4)]),
    ]
    all.forEach((promise, i) => promise.catch(() => {}).then(() => order.push(i)))
    await Promise.allSettled(all)
    assert.deepEqual(order, [0, 1, 2])
    assert.deepEqual(world.server.state.items, [1, 3, 4])
})

test("client-forgotten: entries that were never sent go on under a new client", async () => {
    const world = new World()
    const { store } = await world.live()
    await store.dispatch(add(1))
    world.server.records.clear()
    await after(world, store.dispatch(add(2)))
    const clients = new Set(world.network.of("sync").map(({ body }) => body.client))
    assert.equal(clients.size, 2)
    assert.equal(world.network.of("events").at(-1).query.sync, [...clients][1])
    assert.deepEqual(world.server.state.items, [1, 2])
    assert.deepEqual(store.state.items, [1, 2])
})

test("client-forgotten: entries that may have been sent are reported and dropped", async () => {
    const world = new World()
    const tab = await world.live()
    await tab.store.dispatch(add(1))
    world.network.fault = onEntries(() => ({ loseAnswer: true }))
    const doubtful = tab.store.dispatch(add(2))
    await settle()
    world.network.isDown = true
    const never = tab.store.dispatch(add(3))
    world.server.records.clear()
    world.network.fault = () => ({})
    world.network.isDown = false
    await assert.rejects(Promise.all([doubtful, world.advance(20000)]), OutcomeUnknown)
    await never
    assert.deepEqual(world.server.state.items, [1, 2, 3])
    assert.deepEqual(tab.reports.find(({ kind }) => kind === "unknown").entries, [[add(2)]])
    assert.deepEqual(tab.store.state.items, [1, 2, 3])
})

test("client-forgotten: the app may have entries sent again, but not those that the value contains", async () => {
    for (const [fault, expected] of [[{ loseRequest: true }, [1, 2]], [{ loseAnswer: true }, [1, 2]]]) {
        const world = new World()
        const { store } = await world.live({ unknown: () => "resend" })
        await store.dispatch(add(1))
        world.network.fault = onEntries(() => fault)
        const doubtful = store.dispatch(add(2))
        await settle()
        world.server.records.clear()
        world.network.fault = () => ({})
        await Promise.allSettled([doubtful, world.advance(20000)])
        assert.deepEqual(world.server.state.items, expected)
        assert.equal(store.pending.length, 0)
    }
})

test("sequence-conflict: entries of that request are not run again", async () => {
    const world = new World()
    const { store } = await world.live()
    await store.dispatch(add(1))
    const [record] = world.server.records.values()
    record.outcomes.set(2, { entry: { actions: [add("other")] }, result: { n: 2, outcome: "committed", revision: 1 } })
    record.last = 2
    await assert.rejects(after(world, store.dispatch(add(2))), OutcomeUnknown)
    const next = store.dispatch(add(3))
    await world.advance(2000)
    await next
    assert.deepEqual(world.server.state.items, [1, 3])
})

test("a new history: the client reads its record, tells the app, and goes on", async () => {
    const world = new World()
    const tab = await world.live()
    await tab.store.dispatch(add(1))
    const backup = world.server.backup()
    await tab.store.dispatch(add(2))
    world.server.restore(backup)
    await world.advance(2000)
    assert.deepEqual(tab.store.state.items, [1])
    assert.deepEqual(tab.reports.map(({ kind }) => kind), ["history"])
    const read = world.network.of("sync").at(-1).body
    assert.deepEqual([read.from, read.entries], [3, []])
    await tab.store.dispatch(add(3))
    assert.deepEqual(tab.store.state.items, [1, 3])
    assert.equal(new Set(world.network.of("sync").map(({ body }) => body.client)).size, 1)
})

test("a new history that lacks an entry shows it as pending until it is committed there", async () => {
    const world = new World()
    const { store } = await world.live()
    await store.dispatch(add(1))
    const backup = world.server.backup()
    world.network.fault = onEntries(() => ({ loseAnswer: true }))
    const promise = store.dispatch(add(2))
    await settle()
    assert.deepEqual(store.confirmed.items, [1, 2])
    world.network.fault = ({ kind }) => (kind === "sync" ? problem(503, "draining") : {})
    world.server.restore(backup)
    await world.advance(2000)
    assert.deepEqual(store.confirmed.items, [1])
    assert.deepEqual(store.state.items, [1, 2])
    world.network.fault = () => ({})
    await after(world, promise)
    assert.deepEqual(world.server.state.items, [1, 2])
})

test("a new history without a record: as after client-forgotten, and the app is told", async () => {
    const world = new World()
    const tab = await world.live()
    await tab.store.dispatch(add(1))
    world.server.reset()
    await world.advance(2000)
    assert.deepEqual(tab.reports.map(({ kind }) => kind), ["history"])
    await after(world, tab.store.dispatch(add(2)))
    assert.deepEqual(tab.store.state.items, [2])
    assert.equal(new Set(world.network.of("sync").map(({ body }) => body.client)).size, 2)
})

test("an entry that was committed in a history that is gone does not stay for ever", async () => {
    const world = new World()
    const tab = await world.live()
    const backup = world.server.backup()
    world.network.streamDelay = () => 500
    const promise = tab.store.dispatch(add(1))
    await world.advance(100)
    world.server.restore(backup)
    world.network.streamDelay = () => 0
    await world.advance(5000)
    await promise
    assert.deepEqual(tab.store.pending, [])
    assert.deepEqual(tab.store.state.items, [])
})

test("an outbox has at most 1000 entries and 1 MiB", async () => {
    const world = new World()
    const { store } = await world.live()
    world.network.isDown = true
    for (let i = 0; i < 1000; i++) store.dispatch(add(i))
    await assert.rejects(store.dispatch(add(1000)), OutboxFull)
    assert.equal(store.pending.length, 1000)
    const other = await new World().live()
    for (let i = 0; i < 17; i++) other.store.dispatch(add("x".repeat(60000))).catch(() => {})
    await assert.rejects(other.store.dispatch(add("x".repeat(60000))), OutboxFull)
})

test("who may not act has its entries refused", async () => {
    const world = new World()
    const { store } = await world.live()
    world.network.fault = ({ kind }) => (kind === "sync" ? problem(403, "forbidden") : {})
    await assert.rejects(store.dispatch(increment()), { outcome: "refused", reason: "forbidden" })
    assert.equal(store.state.count, 0)
    assert.equal(store.connection.status, "live")
})

test("an action that changes after dispatch is sent as it was", async () => {
    const world = new World()
    const { store } = await world.live()
    const action = increment(1)
    const promise = store.dispatch(action)
    action.payload.by = 100
    await promise
    assert.equal(world.server.state.count, 1)
})

test("a value that is no action, or no JSON, throws at once", async () => {
    const world = new World()
    const { store } = await world.live()
    for (const wrong of [{ type: "counter/increment", payload: { by: 1n } }, undefined, [null]]) {
        await assert.rejects(store.dispatch(wrong), TypeError)
    }
    assert.equal(store.pending.length, 0)
})

test("a phone that was in a tunnel for a week commits once", async () => {
    const world = new World()
    const { store } = await world.live()
    world.network.fault = onEntries(() => ({ loseAnswer: true }))
    const promise = store.dispatch(increment())
    await settle()
    world.network.isDown = true
    await world.advance(60000)
    world.clock.freeze(7 * 24 * 3600 * 1000)
    world.network.isDown = false
    world.network.fault = () => ({})
    await world.advance(60000)
    await promise
    assert.equal(world.server.log.length, 1)
    assert.equal(store.state.count, 1)
})
