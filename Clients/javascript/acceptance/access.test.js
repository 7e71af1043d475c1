import assert from "node:assert/strict"
import { after, test } from "node:test"
import { connect } from "../storehouse.js"
import { increment, live, open, options, placeBet, reducer, start, until } from "./support/session.js"
import { settings, token } from "./support/token.js"

const { url, stop } = await start({ settings: [...settings, "upstreams.maxDelay=0", "http.maxBodyBytes=16384"] })
after(stop)

const leeway = 60 // seconds for which the server takes a token that has expired

test("a token that the server refuses is renewed once", options, async t => {
    const reasons = []
    const give = reason => token("ada", reasons.push(reason) > 1 ? 3600 : -3600)
    const store = await open(t, `${url}/sessions/me?store=app`, { create: "app", token: give })
    assert.deepEqual(reasons, [undefined, "unauthorized"])
    await store.dispatch(increment())
    assert.equal(store.confirmed.counter.count, 1)
})

test("a store waits for another token where the server refuses the second one", options, async t => {
    const store = connect(`${url}/sessions/me?store=app`, { create: "app", token: () => token("eve", -3600), reducer })
    t.after(() => store.close())
    await until(store, () => store.connection.status === "unauthorized")
    const promise = store.dispatch(increment())
    store.setToken(token("eve"))
    await promise
    await live(store)
})

test("a token that expires under way is renewed, and the stream goes on", options, async t => {
    const reasons = []
    const give = reason => token("bob", reasons.push(reason) > 1 ? 3600 : 2 - leeway)
    const store = await open(t, `${url}/sessions/me?store=app`, { create: "app", token: give })
    await until(store, () => reasons.length === 2)
    await live(store)
    await store.dispatch(increment())
    assert.equal(reasons.length, 2)
})

test("the session of another user ends a store", options, async t => {
    const owner = await open(t, `${url}/sessions/me?store=app`, { create: "app", token: () => token("owner") })
    const headers = { Authorization: `Bearer ${token("owner")}`, "Content-Type": "application/json" }
    const { id } = await (await fetch(`${url}/sessions/me?store=app`, { headers })).json()
    const store = connect(`${url}/sessions/${id}`, { token: () => token("thief"), reducer })
    await assert.rejects(store.ready, { name: "ConnectionEnded" })
    assert.match(store.connection.reason ?? "", /^(forbidden|not-found)$/)

    // A share gives a part of it, until it is revoked.
    const body = JSON.stringify({ may: ["read", "act"], select: "/counter", actions: ["counter/increment"] })
    const { share } = await (await fetch(`${url}/sessions/${id}/shares`, { method: "POST", headers, body })).json()
    const guest = await open(t, `${url}/shared/${share}`, { reducer: undefined })
    assert.deepEqual(guest.state, { count: 0 })
    await guest.dispatch(increment())
    assert.deepEqual(guest.confirmed, { count: 1 })
    await assert.rejects(guest.dispatch(placeBet), { outcome: "refused" })
    await until(owner, () => owner.confirmed.counter.count === 1)
    const ended = until(guest, () => guest.connection.status === "ended")
    await fetch(`${url}/sessions/${id}/shares`, { method: "DELETE", headers })
    await ended
})

test("the effects of an action are awaited", options, async t => {
    const store = await open(t, `${url}/sessions/me?store=app`, { create: "app", token: () => token("ann"), effects: true })
    const sent = store.dispatch({ type: "animal/fetchAnimal" })
    assert.equal((await sent).effects.length, 1)
    assert.equal(await sent.settled, true)
    await until(store, () => !store.state.animal.isLoading && store.state.animal.currentAnimal)
})

test("what waits is split into requests that the server takes, and what can never fit is refused at once", options, async t => {
    const store = await open(t, `${url}/sessions/me?store=app`, { create: "app", token: () => token("max") })
    const add = title => ({ type: "tasks/add", payload: { title } })
    await assert.rejects(store.dispatch(add("x".repeat(20000))), { name: "OutboxFull" })
    const outcomes = await Promise.allSettled(Array.from({ length: 80 }, () => store.dispatch(add("y".repeat(400)))))
    assert.deepEqual(new Set(outcomes.map(({ status, reason }) => reason?.message ?? status)), new Set(["fulfilled"]))
})
