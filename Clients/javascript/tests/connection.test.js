import assert from "node:assert/strict"
import { test } from "node:test"
import { backoff } from "../src/backoff.js"
import { createConnection } from "../src/connection.js"
import { ConnectionEnded } from "../src/index.js"
import { increment, settle, World } from "./support/world.js"

const statuses = tab => tab.connections.map(({ status }) => status)
const refusal = (status, code, headers) => ({ status, body: { status, code }, headers })
const onEvents = fault => request => (request.kind === "events" ? fault(request) : {})
const gaps = world => world.network.of("events").map(({ at }, i, all) => (i ? at - all[i - 1].at : 0)).slice(1)

test("a connection is live with ready, and not before", async () => {
    const world = new World()
    world.network.fault = onEvents(() => ({ hangBody: true }))
    const hanging = world.open()
    await world.advance(5000)
    assert.equal(hanging.store.connection.status, "connecting")
    world.network.fault = () => ({})
    await world.advance(10000)
    assert.equal(hanging.store.connection.status, "live")
    assert.equal(hanging.store.connection.isStale, false)
})

test("the stream is asked for with its form, the client and its statuses", async () => {
    const world = new World()
    await world.live({ select: "/items", effects: true, presence: true }, { url: "https://host/sessions/me?store=seats" })
    const [{ url, query, headers }] = world.network.of("events")
    assert.equal(url.pathname, "/sessions/me/events")
    const { sync, ...rest } = query
    assert.match(sync, /^[\w-]{22}$/)
    assert.deepEqual(rest, { store: "seats", select: "/items", changes: "patch", effects: "true", presence: "true" })
    assert.deepEqual(headers, { Accept: "text/event-stream", Prefer: "status" })
})

test("a stream that ends is opened again within a second, and resumes", async () => {
    const world = new World()
    const tab = await world.live()
    world.server.act(increment())
    await settle()
    world.server.cut()
    world.server.act(increment())
    await settle()
    assert.deepEqual(tab.store.connection, { status: "reconnecting", isStale: true, since: world.clock.time })
    await world.advance(500)
    assert.equal(tab.store.connection.status, "live")
    assert.equal(world.network.of("events")[1].headers["Last-Event-ID"], "h1-1")
    assert.equal(tab.store.state.count, 2)
})

test("a resumed stream that missed nothing is live at once", async () => {
    const world = new World()
    const tab = await world.live()
    world.server.cut()
    await world.advance(500)
    assert.deepEqual(statuses(tab), ["connecting", "live", "reconnecting", "live"])
})

test("a stream of another history brings the state", async () => {
    const world = new World()
    const tab = await world.live()
    world.server.act(increment(7))
    world.server.reset()
    await world.advance(500)
    assert.equal(tab.store.state.count, 0)
    assert.deepEqual(tab.reports, [{ kind: "history", history: "h2" }])
})

test("no byte for 2.5 heartbeats ends live, and a heartbeat keeps it", async () => {
    const world = new World()
    const tab = await world.live()
    await world.advance(300000)
    assert.deepEqual(statuses(tab), ["connecting", "live"])
    world.server.isSilent = true
    await world.advance(37400)
    assert.equal(tab.store.connection.status, "live")
    await world.advance(200)
    assert.equal(tab.store.connection.status, "reconnecting")
    await world.advance(1000)
    assert.equal(world.network.of("events").length, 2)
})

test("the heartbeat is that of ready", () => {
    const connection = createConnection(() => 0.5)
    connection.step("start", 0)
    connection.step("bytes", 1)
    connection.step("ready", 1, { heartbeat: 2 })
    connection.step("tick", 2500)
    connection.step("tick", 4000)
    assert.equal(connection.state.status, "live")
    connection.step("tick", 5001)
    assert.equal(connection.state.status, "reconnecting")
})

test("a head that never comes is given up after ten seconds", async () => {
    const world = new World()
    let left = 1
    world.network.fault = onEvents(() => ({ hang: left-- > 0 }))
    const tab = world.open()
    await world.advance(9900)
    assert.equal(world.network.of("events").length, 1)
    await world.advance(1000)
    assert.equal(tab.store.connection.status, "live")
})

test("reconnecting becomes offline after five seconds, with the time of the loss", async () => {
    const world = new World()
    const tab = await world.live()
    const since = world.clock.time
    world.network.isDown = true
    world.server.cut()
    await world.advance(4900)
    assert.equal(tab.store.connection.status, "reconnecting")
    await world.advance(200)
    assert.deepEqual(tab.store.connection, { status: "offline", isStale: true, since })
    world.network.isDown = false
    await world.advance(30000)
    assert.equal(tab.store.connection.status, "live")
})

test("the connection is offline at once when the system has no network, and tries at once when it has one", async () => {
    const world = new World()
    world.random = () => 0.99
    const tab = await world.live()
    await world.advance(5000)
    world.network.isDown = true
    tab.hear("offline")
    assert.equal(tab.store.connection.status, "offline")
    await world.advance(20000)
    world.network.isDown = false
    tab.hear("online")
    await world.advance(1000)
    assert.equal(tab.store.connection.status, "live")
})

test("the first attempt after a loss has a random part of a second, and later ones full jitter up to 30 s", () => {
    for (const part of [0, 0.25, 0.999]) {
        const random = () => part
        assert.equal(backoff(0, 0, random), part * 1000)
        assert.equal(backoff(1, 0, random), part * 2000)
        assert.equal(backoff(3, 500, random), part * 8000)
        assert.equal(backoff(2, 3000, random), part * 12000)
        assert.equal(backoff(9, 3000, random), part * 30000)
    }
})

test("attempts become rarer, with the retry time of the server as their base", async () => {
    const world = new World()
    world.random = () => 0.999
    await world.live()
    world.network.isDown = true
    world.server.cut()
    await world.advance(120000)
    const [first, second, third, ...rest] = gaps(world).map(gap => Math.round(gap / 1000))
    assert.deepEqual([first, second, third], [1, 2, 4])
    assert.deepEqual(rest.slice(0, 4), [8, 16, 30, 30])
})

test("a server that accepts and closes is not hammered", async () => {
    const world = new World()
    world.random = () => 0.999
    const tab = await world.live()
    for (let second = 0; second < 120; second++) {
        await world.advance(1000)
        world.server.cut()
    }
    assert.ok(world.network.of("events").length <= 10, `${world.network.of("events").length} streams`)
    assert.ok(statuses(tab).filter(status => status === "live").length > 1)
})

test("ten seconds of live reset the backoff", async () => {
    const world = new World()
    world.random = () => 0.999
    const tab = await world.live()
    for (let i = 0; i < 5; i++) {
        world.server.cut()
        await world.advance(1000)
        assert.equal(tab.store.connection.status, "live")
        await world.advance(10000)
    }
})

test("Retry-After is the least time until the next attempt, also if the page hurries", async () => {
    const world = new World()
    let left = 1
    world.network.fault = onEvents(() => (left-- > 0 ? refusal(503, "draining", { "Retry-After": "20" }) : {}))
    const tab = world.open()
    await world.advance(10000)
    tab.hear("online")
    tab.show()
    await world.advance(9900)
    assert.equal(world.network.of("events").length, 1)
    await world.advance(200)
    assert.equal(tab.store.connection.status, "live")
})

test("rotated reconnects at once, and a server that always rotates is asked once a second", async () => {
    const world = new World()
    const tab = await world.live()
    await world.advance(20000)
    world.server.close("rotated")
    await settle()
    assert.equal(tab.store.connection.status, "live")
    const before = world.network.of("events").length
    for (let i = 0; i < 50; i++) {
        world.server.close("rotated")
        await world.advance(100)
    }
    assert.ok(world.network.of("events").length - before <= 6)
})

test("draining waits as long as the server said", async () => {
    const world = new World()
    world.random = () => 0
    const tab = await world.live()
    await world.advance(20000)
    world.server.close("draining")
    await world.advance(1900)
    assert.equal(tab.store.connection.status, "reconnecting")
    await world.advance(200)
    assert.equal(tab.store.connection.status, "live")
})

test("statuses 204, 403, 404, 410 and others that do not pass end the connection", async context => {
    context.mock.method(console, "error", () => {})
    const expected = { 204: "session-ended", 400: "refused", 403: "forbidden", 404: "not-found", 410: "session-ended", 421: "refused" }
    for (const [status, reason] of Object.entries(expected)) {
        const world = new World()
        world.network.fault = onEvents(() => refusal(+status, "x"))
        const tab = world.open()
        const waiting = tab.store.dispatch(increment())
        await assert.rejects(Promise.all([tab.store.ready, world.advance(1000)]), ConnectionEnded)
        const told = status === "204" ? {} : { problem: { status: +status, code: "x" } }
        assert.deepEqual(tab.store.connection, { status: "ended", isStale: true, reason, ...told })
        await assert.rejects(waiting, { name: "ConnectionEnded", reason })
        await assert.rejects(tab.store.dispatch(increment()), { name: "ConnectionEnded", reason })
        const { length } = world.network.requests
        tab.hear("online")
        await world.advance(100000)
        assert.equal(world.network.requests.length, length)
        assert.equal(world.clock.timers, 0)
    }
})

test("closed session-ended and revoked end the connection", async () => {
    for (const reason of ["session-ended", "revoked"]) {
        const world = new World()
        const tab = await world.live()
        world.server.close(reason)
        await settle()
        assert.deepEqual(tab.store.connection, { status: "ended", isStale: true, reason })
    }
})

test("a session that ended while the client was offline ends the connection", async () => {
    const world = new World()
    const tab = await world.live()
    world.network.isDown = true
    world.server.cut()
    const lost = tab.store.dispatch(increment())
    await world.advance(10000)
    world.server.ended = 204
    world.network.isDown = false
    await assert.rejects(Promise.all([lost, world.advance(60000)]), { name: "ConnectionEnded", reason: "session-ended" })
})

test("a status of a proxy, without a problem, does not end the connection", async () => {
    const world = new World()
    const faults = [403, 404, 410, 401].map(status => ({ status, body: "<html>", type: "text/html" }))
    faults.push({ status: 200, body: "<html>", type: "text/html" })
    world.network.fault = onEvents(() => faults.shift())
    const tab = world.open()
    await world.advance(120000)
    assert.equal(tab.store.connection.status, "live")
})

test("create makes the session again after a 404, and in token mode once after a 403", async () => {
    const world = new World()
    world.network.isMissing = true
    const tab = await world.live({ create: "test" })
    await world.advance(10)
    assert.equal(tab.store.connection.status, "live")
    assert.deepEqual(world.network.of("PUT").map(({ body }) => body), [{ store: "test" }])
    const other = new World()
    other.network.fault = onEvents(() => refusal(403, "forbidden"))
    const refused = await other.live({ create: "test", token: () => "t" })
    await other.advance(1000)
    assert.equal(other.network.of("PUT").length, 1)
    assert.equal(refused.store.connection.reason, "forbidden")
})

test("a patch that does not apply is reported, and the next stream begins without an id", async () => {
    const world = new World()
    const tab = await world.live()
    world.server.isPatchBroken = true
    world.server.act(increment())
    await settle()
    assert.equal(tab.store.state.count, 0)
    assert.deepEqual(tab.reports.map(({ kind }) => kind), ["patch"])
    world.server.isPatchBroken = false
    await world.advance(1000)
    assert.equal(world.network.of("events")[1].headers["Last-Event-ID"], undefined)
    assert.equal(tab.store.state.count, 1)
})

test("an event that is no JSON is reported like a patch that does not apply", async () => {
    const world = new World()
    const tab = await world.live()
    for (const stream of world.server.streams) stream.write("event: patch\ndata: {\n\n")
    await settle()
    assert.deepEqual(tab.reports.map(({ kind }) => kind), ["patch"])
    await world.advance(1000)
    assert.equal(tab.store.connection.status, "live")
})

test("the stream may come in single bytes", async () => {
    const world = new World()
    world.network.isPiecemeal = true
    world.network.split = bytes => [...bytes].map(byte => Uint8Array.of(byte))
    const { store } = await world.live()
    await store.dispatch({ type: "note/set", payload: { text: "€😀" } })
    assert.equal(store.confirmed.note, "€😀")
})

test("close ends all, and leaves no timer and no stream", async () => {
    const world = new World()
    const tab = await world.live()
    tab.store.close()
    await settle()
    assert.deepEqual(tab.store.connection, { status: "ended", isStale: true, reason: "closed" })
    assert.equal(world.network.open, 0)
    assert.equal(world.clock.timers, 0)
})

test("other events reach the app", async () => {
    const world = new World()
    const { store } = await world.live({ presence: true })
    const heard = []
    store.onEvent(event => heard.push(event.type))
    world.server.event("presence", { present: [], anonymous: 1 })
    await settle()
    assert.deepEqual(heard, ["presence"])
})

test("an attempt without a pause waits after one that did not help, and not after one that was never made", () => {
    const connection = createConnection(() => 0.5)
    connection.step("start", 0)
    connection.step("lost", 1)
    connection.step("again", 2)
    assert.deepEqual([connection.stream, connection.wake], [0, 501])
    connection.step("tick", 501)
    const { stream } = connection
    connection.step("again", 502)
    assert.equal(connection.stream, stream + 1)
    connection.step("again", 503)
    assert.deepEqual([connection.stream, connection.wake], [0, 1503])
})
