import assert from "node:assert/strict"
import { test } from "node:test"
import { openDisk } from "../src/disk.js"
import { OutcomeUnknown } from "../src/index.js"
import { FakeIndexedDB } from "./support/indexeddb.js"
import { add, disk, increment, settle, World } from "./support/world.js"

const token = sub => `h.${Buffer.from(JSON.stringify({ sub })).toString("base64url")}.s`
const ids = world => world.server.state.items
const rest = async world => {
    for (let i = 0; i < 5; i++) await settle()
    await world.advance(2000)
}

/** A page whose outbox is loaded and whose stream is live. */
async function begin(world, options = disk) {
    const tab = await world.live(options)
    await rest(world)
    return tab
}

/** Stores entries while there is no network, and kills the page. */
async function leave(world, tab, ids) {
    world.network.isDown = true
    await Promise.all(ids.map(id => tab.store.dispatch(add(id)).stored))
    world.kill(tab)
    world.network.isDown = false
}

test("the outbox survives a kill, and its entries are sent once", async () => {
    const world = new World()
    const first = await begin(world)
    await leave(world, first, [1, 2, 3])
    const second = world.open(disk)
    await rest(world)
    assert.deepEqual(ids(world), [1, 2, 3])
    assert.deepEqual(second.store.state.items, [1, 2, 3])
    assert.deepEqual(world.disk.rows, [])
})

test("entries of the disk are shown before the first byte of the network", async () => {
    const world = new World()
    const first = await world.live(disk)
    await first.store.dispatch(add(1))
    await rest(world)
    world.network.isDown = true
    await first.store.dispatch(add(2)).stored
    world.kill(first)
    const { store } = world.open(disk)
    await settle()
    assert.deepEqual(store.confirmed.items, [1])
    assert.deepEqual(store.state.items, [1, 2])
    assert.equal(store.connection.isStale, true)
})

test("a kill between the commit and the answer does not run an entry twice", async () => {
    const world = new World()
    const first = await begin(world)
    world.network.fault = ({ kind, body }) => (kind === "sync" && body.entries.length ? { loseAnswer: true } : {})
    first.store.dispatch(add(1))
    await settle()
    world.kill(first)
    world.network.fault = () => ({})
    world.open(disk)
    await rest(world)
    assert.deepEqual(ids(world), [1])
    assert.deepEqual(world.disk.rows, [])
})

test("a kill between store and send leaves an entry that was never sent", async () => {
    const world = new World()
    const first = await world.live(disk)
    await first.store.dispatch(add(0))
    await rest(world)
    // The kill comes in the turn in which the append is done, before anything is sent.
    await leave(world, first, [1])
    world.server.records.clear()
    const second = world.open(disk)
    await rest(world)
    await rest(world)
    assert.ok(ids(world).length >= 1)
    assert.equal(second.store.pending.length, 0)
})

test("the mark of what may have been sent is on disk before a request leaves", async () => {
    const world = new World()
    const tab = await begin(world)
    let sent
    world.network.fault = ({ kind, body }) => {
        if (kind === "sync" && body.entries.length) sent = world.disk.meta.get("head").sent
        return {}
    }
    await tab.store.dispatch(add(1))
    assert.equal(sent, 1)
})

test("after a kill, entries that may have been sent are unknown to a server without a record, and the others go on", async () => {
    const world = new World()
    const first = await begin(world)
    world.network.fault = ({ kind, body }) => (kind === "sync" && body.entries.length ? { loseAnswer: true } : {})
    first.store.dispatch(add(1))
    await settle()
    await leave(world, first, [2])
    world.server.records.clear()
    world.network.fault = () => ({})
    const second = world.open(disk)
    await rest(world)
    await rest(world)
    assert.deepEqual(ids(world), [1, 2])
    assert.deepEqual(second.reports.find(({ kind }) => kind === "unknown").entries, [[add(1)]])
})

test("numbers go on after a start", async () => {
    const world = new World()
    for (const id of [1, 2, 3]) {
        const tab = await world.live(disk)
        await tab.store.dispatch(add(id))
        await rest(world)
        tab.store.close()
    }
    const bodies = world.network.of("sync").map(({ body }) => body)
    assert.equal(bodies.filter(body => body.new).length, 1)
    assert.deepEqual(bodies.filter(({ entries }) => entries.length).map(({ from }) => from), [1, 2, 3])
})

test("a backlog of 1000 is sent in order after a kill", async () => {
    const world = new World()
    const first = await begin(world)
    const all = Array.from({ length: 1000 }, (_, i) => i)
    await leave(world, first, all)
    world.open(disk)
    await rest(world)
    assert.deepEqual(ids(world), all)
})

test("entries with secret fields are not on disk", async () => {
    const world = new World()
    const { store } = await begin(world, { ...disk, secret: ["note/set"] })
    world.network.isDown = true
    await store.dispatch({ type: "note/set", payload: { text: "password" } }).stored
    await store.dispatch(add(1)).stored
    await rest(world)
    assert.equal(world.disk.rows.length, 2)
    assert.ok(!JSON.stringify([...world.disk.rows, ...world.disk.meta]).includes("password"))
    world.network.isDown = false
    await rest(world)
    assert.equal(world.server.state.note, "password")
    assert.deepEqual(ids(world), [1])
})

test("another user has another outbox", async () => {
    const world = new World()
    const ada = await begin(world, { ...disk, token: () => token("ada") })
    await leave(world, ada, ["of Ada"])
    const eve = world.open({ ...disk, token: () => token("eve") })
    await rest(world)
    assert.equal(eve.store.pending.length, 0)
    assert.deepEqual(ids(world), [])
    world.open({ ...disk, token: () => token("ada") })
    await rest(world)
    assert.deepEqual(ids(world), ["of Ada"])
    const bodies = world.network.of("sync").filter(({ body }) => body.entries.length)
    assert.ok(bodies.every(({ headers }) => headers.Authorization === "Bearer " + token("ada")))
})

test("a token of another user is not taken over by a store", async () => {
    const world = new World()
    const tab = await begin(world, { ...disk, token: () => token("ada") })
    tab.store.setToken(token("eve"))
    await tab.store.dispatch(add(1))
    assert.equal(world.network.of("sync").at(-1).headers.Authorization, "Bearer " + token("ada"))
    assert.deepEqual(tab.reports.map(({ kind }) => kind), ["user"])
})

test("signOut deletes the outbox and the cache", async () => {
    const world = new World()
    const { store } = await begin(world)
    world.network.isDown = true
    const lost = store.dispatch(add(1))
    await lost.stored
    await store.signOut()
    await assert.rejects(lost, { name: "ConnectionEnded", reason: "closed" })
    assert.deepEqual(world.disk.rows, [])
    assert.equal(world.disk.meta.size, 0)
})

test("the cached state is shown first, and is replaced by the patches since", async () => {
    const world = new World()
    const first = await world.live(disk)
    await first.store.dispatch(increment(3))
    await rest(world)
    first.store.close()
    world.server.act(increment())
    const { store, shown } = world.open(disk)
    await rest(world)
    assert.deepEqual(shown.map(({ count }) => count), [3, 4])
    assert.equal(world.network.of("events").at(-1).headers["Last-Event-ID"], "h1-1")
    assert.equal(store.connection.status, "live")
})

test("a cache of another version is dropped, and the outbox is kept", async () => {
    const world = new World()
    const first = await world.live(disk)
    await first.store.dispatch(increment(3))
    await rest(world)
    await leave(world, first, [1])
    world.server.version = "2.b"
    const tab = world.open({ ...disk, version: "2.b" })
    await settle()
    await settle()
    assert.ok(tab.shown.every(state => state === undefined || state.items.length >= 0))
    await rest(world)
    assert.deepEqual(ids(world), [1])
    assert.equal(tab.store.state.count, 3)
    // The version that the app does not know is found out by `ready`.
    world.server.version = "3.c"
    tab.store.close()
    const late = world.open(disk)
    await rest(world)
    assert.equal(late.store.connection.status, "live")
    assert.equal(world.network.of("events").at(-1).headers["Last-Event-ID"], undefined)
})

test("a cache of another history is replaced by the state", async () => {
    const world = new World()
    const first = await world.live(disk)
    await first.store.dispatch(increment(3))
    await rest(world)
    first.store.close()
    world.server.reset()
    const tab = world.open(disk)
    await rest(world)
    assert.equal(tab.store.state.count, 0)
    assert.ok(tab.reports.some(({ kind }) => kind === "history"))
})

test("an append that fails throws, and is not sent", async () => {
    const world = new World()
    const { store } = await begin(world)
    world.disk.fault = "write"
    const promise = store.dispatch(increment())
    await assert.rejects(promise, { name: "QuotaExceededError" })
    await assert.rejects(promise.stored, { name: "QuotaExceededError" })
    await rest(world)
    assert.equal(store.state.count, 0)
    assert.equal(world.server.log.length, 0)
    world.disk.fault = undefined
    await store.dispatch(increment())
})

for (const fault of ["open", "slow"]) {
    test(`a disk that fails (${fault}) is not used, and the app is told`, async () => {
        const world = new World()
        world.disk.fault = fault
        const tab = world.open(disk)
        const promise = tab.store.dispatch(increment())
        await world.advance(3000)
        await promise
        assert.equal(tab.store.state.count, 1)
        assert.deepEqual(tab.reports.map(({ kind }) => kind), ["storage"])
    })
}

test("a disk that opens too late stays unused", async () => {
    const world = new World()
    world.disk.fault = "slow"
    const { store } = world.open(disk)
    await Promise.all([store.dispatch(add(1)), world.advance(3000)])
    world.disk.finish()
    await rest(world)
    await Promise.all([store.dispatch(add(2)), rest(world)])
    assert.deepEqual(ids(world), [1, 2])
    assert.deepEqual(world.network.of("sync").map(({ body }) => body.from), [1, 1, 2])
    assert.deepEqual(world.disk.rows, [])
    assert.equal(world.disk.meta.get("cache"), undefined)
})

test("a torn row is left out", async () => {
    const world = new World()
    const first = await begin(world)
    await leave(world, first, [1, 2, 3])
    delete world.disk.rows[1].actions
    const { store } = world.open(disk)
    await rest(world)
    await rest(world)
    assert.deepEqual(ids(world), [1, 3])
    assert.equal(store.pending.length, 0)
})

test("stored is done although nothing can be sent", async () => {
    const world = new World()
    world.network.isDown = true
    const { store } = world.open(disk)
    await store.dispatch(increment()).stored
    assert.equal(world.disk.rows.length, 1)
})

test("an outcome that was told is not sent again after a kill", async () => {
    const world = new World()
    const first = await begin(world)
    await first.store.dispatch(add(1))
    world.kill(first)
    const second = world.open(disk)
    await rest(world)
    await second.store.dispatch(add(2))
    assert.deepEqual(ids(world), [1, 2])
    assert.ok(second.reports.every(({ kind }) => kind !== "unknown"), OutcomeUnknown.name)
})

test("a tab that no longer leads still forgets what was decided", async () => {
    const factory = new FakeIndexedDB()
    const tab = await openDisk(factory, "name", () => "id")
    await tab.append({ key: "a", actions: [add(1)], size: 1 })
    assert.ok(!(await tab.advance(0, [1], "id")))
    assert.deepEqual(factory.rows, [])
})

test("only the tab that leads changes the client, and says what was sent", async () => {
    const factory = new FakeIndexedDB()
    let id = 0
    const open = () => openDisk(factory, "name", () => "id" + id++)
    const [stale, present] = [await open(), await open()]
    const { client } = await stale.load(true)
    await stale.append({ key: "a", actions: [add(1)], size: 1 })
    await present.load(true)
    await present.advance(1, [], client)
    assert.ok(!(await stale.advance(0, [], "other", [1])))
    const saved = await present.load()
    assert.deepEqual([saved.client, saved.sent, saved.entries.length], [client, 1, 1])
    assert.equal(await present.advance(0, [], "other", [1]), true)
    assert.deepEqual({ ...(await present.load()), leader: 0 }, { client: "other", last: 1, sent: 0, leader: 0, entries: [], cache: undefined })
})
