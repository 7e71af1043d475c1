import assert from "node:assert/strict"
import { test } from "node:test"
import { add, disk, increment, settle, World } from "./support/world.js"

const ids = world => world.server.state.items
const rest = async (world, milliseconds = 100) => {
    for (let i = 0; i < 8; i++) await settle()
    await world.advance(milliseconds)
}
async function tabs(world, count, options = disk) {
    const all = []
    for (let i = 0; i < count; i++) {
        all.push(world.open(options, { hasTabs: true }))
        await rest(world)
    }
    return all
}
const agree = (world, all) => {
    for (const { store } of all) {
        assert.deepEqual(store.state, world.server.state)
        assert.deepEqual(store.pending, [])
    }
}

test("eight tabs share one stream", async () => {
    const world = new World()
    const all = await tabs(world, 8)
    world.server.act(increment(4))
    await rest(world)
    assert.equal(world.network.of("events").length, 1)
    assert.ok(all.every(({ store }) => store.connection.status === "live" && store.state.count === 4))
})

test("an action of a follower is shown there in the same turn, and in all tabs", async () => {
    const world = new World()
    const all = await tabs(world, 3)
    world.network.isDown = true
    const promise = all[2].store.dispatch(increment())
    assert.equal(all[2].store.state.count, 1)
    await settle()
    assert.ok(all.every(({ store }) => store.state.count === 1 && store.pending.length === 1))
    world.network.isDown = false
    await rest(world, 5000)
    assert.deepEqual(await promise, { outcome: "committed", revision: 1, effects: [] })
    agree(world, all)
})

test("a refusal reaches the tab that sent the action", async () => {
    const world = new World()
    const all = await tabs(world, 2)
    await assert.rejects(Promise.all([all[1].store.dispatch({ type: "internal" }), rest(world)]), { reason: "internal-action" })
    assert.equal(all[1].store.refusals.length, 1)
})

test("numbers of all tabs come from one outbox, in one order", async () => {
    const world = new World()
    const all = await tabs(world, 4)
    const promises = []
    for (let i = 0; i < 40; i++) promises.push(all[i % 4].store.dispatch(add(i)))
    await rest(world, 2000)
    await Promise.all(promises)
    assert.equal(new Set(ids(world)).size, 40)
    for (let tab = 0; tab < 4; tab++) {
        const own = ids(world).filter(id => id % 4 === tab)
        assert.deepEqual(own, [...own].sort((a, b) => a - b))
    }
    assert.equal(new Set(world.network.of("sync").map(({ body }) => body.client)).size, 1)
    agree(world, all)
})

test("when the leader closes, the next takes over at once, with the event id", async () => {
    const world = new World()
    const all = await tabs(world, 3)
    world.server.act(increment())
    await rest(world)
    all[0].close()
    await rest(world, 10)
    assert.equal(world.network.of("events").length, 2)
    assert.equal(world.network.of("events")[1].headers["Last-Event-ID"], "h1-1")
    assert.equal(all[1].store.connection.status, "live")
    assert.equal(all[2].store.connection.status, "live")
    await Promise.all([all[2].store.dispatch(increment()), rest(world)])
    agree(world, all.slice(1))
})

test("the leader changes with a request in flight, and nothing is lost or run twice", async () => {
    const world = new World()
    const all = await tabs(world, 3)
    world.network.answerDelay = 50
    const promises = [all[1].store.dispatch(add(1)), all[2].store.dispatch(add(2))]
    await world.advance(60)
    all[0].close()
    await rest(world, 3000)
    await Promise.all(promises)
    assert.deepEqual([...ids(world)].sort(), [1, 2])
    agree(world, all.slice(1))
})

test("a frozen leader is replaced by a visible tab, and follows when it wakes", async () => {
    const world = new World()
    const all = await tabs(world, 3)
    all[2].hide()
    all[0].freeze()
    const promise = all[1].store.dispatch(add(1))
    await rest(world, 3500)
    await promise
    assert.equal(world.network.of("events").length, 2)
    world.server.act(increment())
    await rest(world)
    all[0].thaw()
    all[0].show()
    await rest(world, 3000)
    await Promise.all([all[0].store.dispatch(add(2)), rest(world, 1000)])
    assert.deepEqual(ids(world), [1, 2])
    agree(world, all)
    assert.equal(world.network.open, 1)
})

test("a leader that hears that it will be frozen gives way at once, and ends afterwards what it has begun", async () => {
    const world = new World()
    const all = await tabs(world, 2)
    const promise = all[0].store.dispatch(add(1))
    await undefined
    all[0].hear("freeze")
    const later = all[0].store.dispatch(add(2))
    await Promise.all([all[1].store.dispatch(add(3)), rest(world)])
    assert.deepEqual(ids(world), [3])
    assert.equal(world.network.of("events").length, 2)
    all[0].hear("resume")
    await Promise.all([promise, later, rest(world, 1000)])
    assert.deepEqual(ids(world), [3, 1, 2])
    agree(world, all)
    assert.equal(world.network.open, 1)
})

test("a hidden leader gives way to a visible tab", async () => {
    const world = new World()
    const all = await tabs(world, 2)
    all[0].hide()
    await rest(world, 70000)
    world.server.act(increment())
    await rest(world)
    assert.equal(all[1].store.connection.status, "live")
    agree(world, [all[1]])
    assert.equal(world.network.open, 1)
})

test("hidden tabs alone hold no stream, and the first that is seen takes it", async () => {
    const world = new World()
    const all = await tabs(world, 2)
    all.forEach(tab => tab.hide())
    await rest(world, 70000)
    assert.equal(world.network.open, 0)
    all[1].show()
    await rest(world, 4000)
    assert.equal(all[1].store.connection.status, "live")
})

test("a tab that was frozen learns the outcome of its entries", async () => {
    const world = new World()
    const all = await tabs(world, 2)
    const promise = all[1].store.dispatch(add(1))
    await promise.stored
    all[1].freeze()
    await rest(world, 1000)
    // A browser may drop the messages of a frozen page.
    all[1].missed = all[1].missed.filter(call => !String(call).includes("onmessage"))
    all[1].thaw()
    all[1].show()
    await rest(world, 1000)
    assert.equal((await promise).outcome, "committed")
    agree(world, all)
})

test("a follower that is there before the first state shows each entry once", async () => {
    const world = new World()
    world.network.streamDelay = () => 1000
    const [leader] = await tabs(world, 1)
    leader.store.dispatch(increment())
    await rest(world)
    const [follower] = await tabs(world, 1)
    world.network.answerDelay = 5000
    follower.store.dispatch(increment())
    await rest(world, 3000)
    assert.equal(follower.store.confirmed.count, 2)
    assert.equal(follower.store.pending.length, 1)
    assert.deepEqual(new Set(follower.shown.map(state => state?.count)), new Set([undefined, 2]))
    await rest(world, 3000)
    agree(world, [leader, follower])
})

test("a secret entry of a follower is sent without a row that tells it", async () => {
    const world = new World()
    const all = await tabs(world, 2, { ...disk, secret: ["note/set"] })
    const promise = all[1].store.dispatch({ type: "note/set", payload: { text: "password" } })
    await Promise.all([promise, rest(world)])
    assert.equal(world.server.state.note, "password")
    assert.deepEqual(world.disk.rows, [])
})

test("a new client of the leader is that of all tabs", async () => {
    const world = new World()
    const all = await tabs(world, 2)
    await Promise.all([all[1].store.dispatch(add(1)), rest(world)])
    world.server.records.clear()
    await Promise.all([all[1].store.dispatch(add(2)), rest(world, 3000)])
    all[0].close()
    await rest(world)
    await Promise.all([all[1].store.dispatch(add(3)), rest(world, 3000)])
    assert.deepEqual(ids(world), [1, 2, 3])
    assert.equal(new Set(world.network.of("sync").map(({ body }) => body.client)).size, 2)
})

test("entries whose record is gone are never shown twice in another tab", async () => {
    const world = new World()
    const all = await tabs(world, 2)
    await Promise.all([all[1].store.dispatch(add(1)), rest(world)])
    const faults = [{ loseAnswer: true }]
    world.network.fault = ({ kind }) => (kind === "sync" ? faults.shift() : undefined) ?? {}
    const promise = all[1].store.dispatch(add(2))
    await settle()
    world.server.records.clear()
    await assert.rejects(Promise.all([promise, rest(world, 5000)]), { name: "OutcomeUnknown" })
    for (const { shown } of all) assert.ok(shown.every(state => !state || new Set(state.items).size === state.items.length))
    agree(world, all)
})

test("a tab that no longer leads on disk sends nothing, and stands in line again", async () => {
    const world = new World()
    const all = await tabs(world, 2)
    world.disk.meta.get("head").leader = "another tab"
    await Promise.all([all[0].store.dispatch(add(1)), rest(world, 3000)])
    assert.equal(world.network.of("events").length, 2)
    assert.deepEqual(ids(world), [1])
    agree(world, all)
})

test("signOut ends all tabs", async () => {
    const world = new World()
    const all = await tabs(world, 2)
    await all[1].store.signOut()
    await rest(world)
    assert.ok(all.every(({ store }) => store.connection.reason === "closed"))
    assert.equal(world.network.open, 0)
    assert.equal(world.disk.meta.size, 0)
})

test("a token that a follower gets makes the leader go on", async () => {
    const world = new World()
    world.network.accepts = token => token === "good"
    const all = await tabs(world, 2, { ...disk, token: () => "bad" })
    assert.ok(all.every(({ store }) => store.connection.status === "unauthorized"))
    all[1].store.setToken("good")
    await rest(world, 3000)
    assert.ok(all.every(({ store }) => store.connection.status === "live"))
})

test("without Web Locks each tab is on its own, with a client of its own", async () => {
    const world = new World()
    for (let i = 0; i < 2; i++) world.open(disk, { hasTabs: false })
    await rest(world)
    await Promise.all(world.tabs.map(({ store }) => store.dispatch(increment())))
    assert.equal(world.network.of("events").length, 2)
    assert.equal(new Set(world.network.of("sync").map(({ body }) => body.client)).size, 2)
    agree(world, world.tabs)
})
