import assert from "node:assert/strict"
import { test } from "node:test"
import { increment, settle, World } from "./support/world.js"

const jwt = (claims, mark = "") => `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s${mark}`

function tokens(world, lifetime) {
    const asked = []
    let current
    const token = async reason => {
        asked.push(reason)
        return (current = jwt({ sub: "ada", exp: lifetime ? (world.clock.time + lifetime) / 1000 : undefined }, asked.length))
    }
    return { token, asked, accepts: given => given === current }
}

test("the token is asked for before first use, once, and goes with each request", async () => {
    const world = new World()
    const { token, asked } = tokens(world)
    const { store } = await world.live({ token })
    await store.dispatch(increment())
    assert.deepEqual(asked, [undefined])
    assert.ok(world.network.requests.every(({ headers }) => headers.Authorization.startsWith("Bearer h.")))
})

test("401 asks for a token once, for stream and outbox together", async () => {
    const world = new World()
    const { token, asked } = tokens(world)
    let isRevoked = false
    world.network.accepts = given => !isRevoked || given.endsWith("s2")
    const { store } = await world.live({ token })
    await store.dispatch(increment())
    isRevoked = true
    world.server.cut()
    const promise = store.dispatch(increment())
    await world.advance(2000)
    await promise
    assert.deepEqual(asked, [undefined, "unauthorized"])
    assert.equal(store.connection.status, "live")
})

test("a second 401 is unauthorized, and no more is sent until the app gives a token", async () => {
    const world = new World()
    const { token, asked } = tokens(world)
    world.network.accepts = given => given === "good"
    const tab = await world.live({ token })
    const promise = tab.store.dispatch(increment())
    await world.advance(60000)
    assert.equal(tab.store.connection.status, "unauthorized")
    assert.deepEqual(asked, [undefined, "unauthorized"])
    const { length } = world.network.requests
    tab.hear("online")
    await world.advance(60000)
    assert.equal(world.network.requests.length, length)
    assert.ok(length <= 4)
    tab.store.setToken("good")
    await world.advance(2000)
    await promise
    assert.equal(tab.store.connection.status, "live")
})

test("without a token function, 401 is unauthorized", async () => {
    const world = new World()
    world.network.accepts = () => false
    const { store } = await world.live()
    await world.advance(10000)
    assert.equal(store.connection.status, "unauthorized")
    assert.equal(world.network.requests.length, 1)
})

test("closed expired asks for a token, and the stream goes on with it", async () => {
    const world = new World()
    const { token, asked } = tokens(world)
    const { store } = await world.live({ token })
    await world.advance(20000)
    world.server.close("expired")
    await world.advance(1000)
    assert.deepEqual(asked, [undefined, "expired"])
    assert.equal(store.connection.status, "live")
    assert.ok(world.network.of("events").at(-1).headers.Authorization.endsWith("s2"))
})

test("a token is renewed 30 s before it expires, and the stream is not cut", async () => {
    const world = new World()
    const { token, asked } = tokens(world, 300000)
    await world.live({ token })
    await world.advance(269000)
    assert.deepEqual(asked, [undefined])
    await world.advance(2000)
    assert.deepEqual(asked, [undefined, "expiring"])
    assert.equal(world.network.of("events").length, 1)
})

test("a token that lives shorter than 30 s does not make a loop", async () => {
    const world = new World()
    const { token, asked } = tokens(world, 20000)
    await world.live({ token })
    await world.advance(15000)
    assert.equal(asked.length, 1)
})

test("one call of the token function is in flight at a time", async () => {
    const world = new World()
    let inFlight = 0
    let most = 0
    const { store } = await world.live({
        token: async () => {
            most = Math.max(most, ++inFlight)
            await new Promise(resolve => world.clock.setTimeout(resolve, 100))
            inFlight--
            return "t"
        },
    })
    store.dispatch(increment())
    await world.advance(1000)
    assert.equal(most, 1)
    assert.equal(world.server.log.length, 1)
})

test("a token function that throws is reported, and asked again with growing pauses", async () => {
    for (const storage of ["memory", "indexeddb"]) {
        const world = new World()
        let calls = 0
        const { store, reports } = await world.live({
            storage,
            token: async () => {
                if (++calls < 4) throw new Error("no network")
                return "t"
            },
        })
        const promise = store.dispatch(increment())
        await world.advance(60000)
        await promise
        assert.equal(store.connection.status, "live")
        assert.deepEqual(reports.map(({ kind, error }) => `${kind} ${error.message}`), Array(3).fill("token no network"))
        assert.ok(calls < 8, `${calls} calls`)
    }
})

test("the claims of a token may be in any language", async () => {
    const { claims } = await import("../src/access.js")
    assert.equal(claims(jwt({ sub: "Ådа😀??>>" })).sub, "Ådа😀??>>")
    assert.deepEqual([claims("opaque"), claims(null), claims("a.b.c")], [{}, {}, {}])
    await settle()
})
