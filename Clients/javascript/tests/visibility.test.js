import assert from "node:assert/strict"
import { test } from "node:test"
import { createConnection } from "../src/connection.js"
import { increment, settle, World } from "./support/world.js"

test("a hidden page closes its stream after 60 s, and resumes when it is seen", async () => {
    const world = new World()
    const tab = await world.live()
    world.server.act(increment())
    await settle()
    tab.hide()
    await world.advance(59000)
    assert.equal(world.network.open, 1)
    await world.advance(2000)
    assert.equal(world.network.open, 0)
    assert.equal(tab.store.connection.isStale, true)
    await world.advance(3600000)
    assert.equal(world.network.of("events").length, 1)
    world.server.act(increment())
    tab.show()
    await settle()
    assert.equal(tab.store.connection.status, "live")
    assert.equal(world.network.of("events")[1].headers["Last-Event-ID"], "h1-1")
    assert.equal(tab.store.state.count, 2)
})

test("a page that is hidden for a moment keeps its stream", async () => {
    const world = new World()
    const tab = await world.live()
    for (let i = 0; i < 5; i++) {
        tab.hide()
        await world.advance(30000)
        tab.show()
        await world.advance(30000)
    }
    assert.equal(world.network.of("events").length, 1)
})

test("pagehide closes the stream at once", async () => {
    const world = new World()
    const tab = await world.live()
    tab.hear("pagehide")
    assert.equal(world.network.open, 0)
    tab.hear("visible")
    await world.advance(1000)
    assert.equal(tab.store.connection.status, "live")
})

test("what hurries tries at once, at most once a second", async () => {
    const world = new World()
    world.random = () => 0.999
    const tab = await world.live()
    world.network.isDown = true
    world.server.cut()
    await world.advance(40000)
    const before = world.network.of("events").length
    for (let i = 0; i < 30; i++) {
        tab.hear(["poke", "online"][i % 2])
        await world.advance(100)
    }
    const { length } = world.network.of("events")
    assert.ok(length - before >= 2 && length - before <= 5, `${length - before} attempts`)
})

test("a stream that was frozen for more than one heartbeat is dropped without asking", async () => {
    const world = new World()
    const tab = await world.live()
    tab.freeze()
    world.clock.freeze(3600000)
    world.server.act(increment())
    tab.thaw()
    tab.show()
    await world.advance(1000)
    assert.equal(world.network.of("events").length, 2)
    assert.equal(tab.store.connection.status, "live")
    assert.equal(tab.store.state.count, 1)
})

test("bytes that a frozen page finds when it wakes do not save the stream", () => {
    const connection = createConnection(() => 0.5)
    connection.step("start", 0)
    connection.step("bytes", 1)
    connection.step("ready", 1, { heartbeat: 15 })
    const { stream } = connection
    connection.step("bytes", 31002)
    assert.notEqual(connection.stream, stream)
    assert.equal(connection.state.status, "reconnecting")
})

test("a page that has been hidden for long opens no stream when it leads, but when it is seen", () => {
    const connection = createConnection(() => 0.5)
    connection.step("start", 0)
    connection.step("ready", 1, { heartbeat: 15 })
    connection.step("hidden", 2)
    connection.step("stop", 3600000)
    connection.step("start", 3600000)
    connection.step("tick", connection.wake)
    assert.deepEqual([connection.stream, connection.wake, connection.state.status], [0, Infinity, "offline"])
    connection.step("visible", 3700000)
    assert.notEqual(connection.stream, 0)
    connection.step("lost", 3700001)
    assert.deepEqual([connection.stream, connection.wake], [0, 3700501])
})

test("a tab tries again when it leads after a tab without a valid token", () => {
    const connection = createConnection(() => 0.5)
    connection.step("start", 0)
    connection.step("stop", 1)
    connection.adopt({ status: "unauthorized", isStale: true, since: 2 })
    connection.step("start", 3)
    assert.equal(connection.state.status, "reconnecting")
    connection.step("lost", 4)
    assert.deepEqual([connection.stream, connection.wake], [0, 504])
})
