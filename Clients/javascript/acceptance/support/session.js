import assert from "node:assert/strict"
import { connect, reject } from "../../storehouse.js"
import { Program } from "./program.js"
import { Relay } from "./relay.js"

export const path = process.env.STOREHOUSE ?? assert.fail("STOREHOUSE names no program")

/** The program has to do what is awaited within this time. */
export const options = { timeout: 60000 }

export const increment = (by = 1) => ({ type: "counter/increment", payload: { by } })
export const placeBet = { type: "betslip/placeBet" }

/** @param {any} state @param {any} action */
export function reducer(state, { type, payload }) {
    if (type === "betslip/placeBet" && !state.betslip.selections.length) return reject("empty-betslip")
    if (type !== "counter/increment") return undefined
    return { ...state, counter: { count: state.counter.count + payload.by } }
}

/**
 * Starts the program behind a relay. `stop` ends both.
 * @param {ConstructorParameters<typeof Program>[1]} [options]
 * @param {string} [binary]
 */
export async function start(options, binary = path) {
    const program = new Program(binary, options)
    const relay = new Relay()
    const url = await relay.start()
    relay.target = await program.start()
    const stop = async () => {
        relay.stop()
        await program.remove()
    }
    return { program, relay, url, stop }
}

/** Asks the program itself, and not by the relay. */
export async function ask(relay, resource, method = "GET", body = undefined) {
    const init = { method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body) }
    const answer = await fetch(`http://127.0.0.1:${relay.target}${resource}`, init)
    return answer.status === 204 ? undefined : answer.json()
}

/** Opens a store whose count must not shrink on the screen. */
export async function open(t, url, options = {}) {
    const store = connect(url, { reducer, ...options })
    const jumps = []
    let shown = 0
    store.subscribe(() => {
        const count = store.state?.counter?.count ?? 0
        if (count < shown) jumps.push(`${shown} → ${count}`)
        shown = count
    })
    t.after(() => {
        store.close()
        assert.deepEqual(jumps, [], "the count never jumps back")
    })
    await store.ready
    return store
}

/** Waits for a condition of a store, which tells of each change. */
export const until = (store, condition) =>
    new Promise(resolve => {
        const look = () => condition() && resolve(undefined)
        store.subscribe(look)
        store.onConnection(look)
        look()
    })

export const live = store => until(store, () => store.connection.status === "live")
