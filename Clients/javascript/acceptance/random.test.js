import assert from "node:assert/strict"
import { test } from "node:test"
import { seeded } from "../tests/support/clock.js"
import { ask, increment, live, open, options, placeBet, start } from "./support/session.js"

const runs = Number(process.env.RUNS ?? 3)
const first = Number(process.env.SEED ?? 1)

for (let seed = first; seed < first + runs; seed++) {
    test(`clients behind faults, seed ${seed}`, options, async t => {
        const random = seeded(seed)
        Math.random = () => random() / 100 // the client waits for a random time before it tries again
        const chance = part => random() < part
        const { program, relay, url, stop } = await start()
        t.after(stop)
        const { links } = await ask(relay, "/sessions", "POST", {})
        const stores = []
        for (let i = 0; i < 3; i++) stores.push(await open(t, url + links.self))
        relay.fault = () => (chance(0.2) ? (chance(0.5) ? "request" : "answer") : undefined)

        let by = 0
        const acknowledged = new Map()
        const waits = []
        for (let step = 0; step < 60; step++) {
            const store = stores[Math.floor(random() * stores.length)]
            const value = ++by
            if (chance(0.1)) waits.push(assert.rejects(store.dispatch([increment(value), placeBet]), { reason: "empty-betslip" }))
            else waits.push(store.dispatch(increment(value)).then(({ revision }) => acknowledged.set(value, revision)))
            if (chance(0.3)) await waits.at(-1)
            if (chance(0.1)) relay.cut()
            if (!chance(0.03)) continue
            relay.target = 0
            await program.stop()
            relay.cut()
            relay.target = await program.start()
        }

        relay.fault = () => undefined
        await Promise.all([...waits, ...stores.map(store => store.flush())])
        await Promise.all(stores.map(live))
        const { actions, next } = await ask(relay, `${links.actions}?limit=1000`)
        assert.equal(next, null)
        const committed = actions.map(({ payload, revision }) => [payload.by, revision])
        assert.deepEqual(new Map(committed), new Map([...acknowledged].sort((a, b) => a[1] - b[1])))
        assert.equal(committed.length, acknowledged.size, "each entry is committed once")
        const { state } = await ask(relay, links.state)
        for (const store of stores) {
            await store.dispatch(placeBet).catch(() => {})
            assert.deepEqual([store.state, store.pending], [state, []])
        }
    })
}
