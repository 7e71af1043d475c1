import { increment, reducer, start } from "../../Clients/javascript/acceptance/support/session.js"
import { connect } from "../../Clients/javascript/storehouse.js"
import { seeded } from "../../Clients/javascript/tests/support/clock.js"
import { median } from "./statistics.mjs"

const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

/** Runs something with a server behind a relay. */
async function served(options, run) {
    const { program, relay, url, stop } = await start(options)
    try {
        return await run(url + "/sessions/" + crypto.randomUUID(), relay, program)
    } finally {
        await stop()
    }
}

/** Milliseconds until 100 actions of one turn are committed, each answer 50 ms after its request, and how many requests that takes. */
export async function outbox(count) {
    return served({ storage: "memory" }, async (url, relay) => {
        const direct = fetch
        globalThis.fetch = async (target, init) => {
            const isPost = init?.method === "POST"
            if (isPost) await sleep(25)
            const response = await direct(target, init)
            if (isPost) await sleep(25)
            return response
        }
        const store = connect(url, { create: "app", reducer })
        await store.ready
        await store.dispatch(increment()) // begins the record
        const took = []
        relay.requests.length = 0
        for (let i = 0; i < count; i++) {
            const begin = performance.now()
            for (let j = 0; j < 100; j++) store.dispatch(increment())
            await store.flush()
            took.push(performance.now() - begin)
        }
        store.close()
        if (store.confirmed.counter.count !== 1 + 100 * count) throw new Error("an action was lost")
        return { outboxMs: median(took), requests: relay.requests.filter(({ method }) => method === "POST").length / count }
    })
}

/**
 * How often a count that only grows has shrunk on the screen of three clients, in so many increments: a tenth of the requests and
 * answers is lost, connections are cut, and the server is killed and started again.
 */
export async function jumps(count) {
    const random = seeded(7)
    const chance = part => random() < part
    Math.random = () => random() / 100 // the client waits for a random time before it tries again
    return served({ storage: "sqlite" }, async (url, relay, program) => {
        const stores = []
        let jumps = 0
        for (let i = 0; i < 3; i++) {
            const store = connect(url, { create: "app", reducer })
            let shown = 0
            store.subscribe(() => {
                const value = store.state?.counter.count ?? 0
                if (value < shown) jumps++
                shown = value
            })
            await store.ready
            stores.push(store)
        }
        relay.fault = () => (chance(0.1) ? (chance(0.5) ? "request" : "answer") : undefined)
        const begin = performance.now()
        for (let i = 0; i < count; i++) {
            const dispatched = stores[Math.floor(random() * stores.length)].dispatch(increment())
            if (chance(0.05)) await dispatched
            if (chance(0.005)) relay.cut()
            if (!chance(0.0005)) continue
            relay.target = 0
            await program.stop()
            relay.cut()
            relay.target = await program.start()
        }
        relay.fault = () => undefined
        await Promise.all(stores.map(store => store.flush()))
        const seconds = (performance.now() - begin) / 1000
        await stores[0].dispatch(increment())
        if (stores[0].confirmed.counter.count !== count + 1) throw new Error("an increment was lost or committed twice")
        for (const store of stores) store.close()
        return { jumps, seconds, requests: relay.requests.length }
    })
}
