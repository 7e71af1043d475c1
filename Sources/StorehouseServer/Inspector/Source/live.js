import { createAccess } from "../../../../Clients/javascript/src/access.js"
import { environment } from "../../../../Clients/javascript/src/environment.js"
import { createPatcher } from "../../../../Clients/javascript/src/patch.js"
import { createStream } from "../../../../Clients/javascript/src/stream.js"
import { parse } from "./model/values.js"
import { token } from "./server.js"

/**
 * @typedef {object} Follower
 * @property {(state: any, revision: number, patch: any[] | undefined) => void} value the patch, if it leads there from the revision before
 * @property {(event: {type: string, data: any}) => void} event
 * @property {(connection: import("../../../../Clients/javascript/src/connection.js").ConnectionState) => void} connected
 */

/**
 * Follows a session with the stream of the JavaScript client, which reconnects, waits and pauses by its own rules.
 * @param {string} path @param {Follower} follower @param {Record<string, boolean>} [options]
 */
export function follow(path, follower, options = { effects: true, presence: true, actions: true }) {
    const surroundings = environment()
    const access = createAccess(new URL(path, document.baseURI).href, () => token, surroundings)
    /** @type {any} */
    const ledger = { client: surroundings.id(), confirmed: { revision: -1 }, queue: [], contains: () => true }
    const stream = createStream(surroundings, /** @type {any} */ ({
        access, ledger, options: { ...options, parse }, report() {}, connected: follower.connected,
        deliver: (/** @type {any[]} */ events) => deliver(events),
    }))

    /** @param {any[]} events */
    function deliver(events) {
        for (const { type, id, data } of events) {
            if (type === "state" || type === "patch") take(type, id, data)
            else if (type === "ready") ledger.confirmed = { ...ledger.confirmed, history: data.history, id: id || ledger.confirmed.id }
            else follower.event({ type, data })
        }
    }

    /** @param {string} type @param {string | undefined} id @param {any} data */
    function take(type, id, data) {
        const before = ledger.confirmed
        if (type === "patch" && before.value === undefined) throw new Error("patch: there is no state")
        const value = type === "state" ? data.state : createPatcher(before.value)(data.patch)
        ledger.confirmed = { ...before, value, revision: data.revision, id: id || before.id }
        follower.value(value, data.revision, type === "patch" && data.revision === before.revision + 1 ? data.patch : undefined)
    }

    const leave = surroundings.page.listen(event => {
        if (event !== "freeze") stream.step(event === "resume" ? "poke" : event)
    })
    stream.step("start")
    return {
        get connection() {
            return stream.connection.state
        },
        /** The time at which it is tried again. */
        get wake() {
            return stream.connection.wake
        },
        renew() {
            access.set(token)
            stream.step("renew")
        },
        close() {
            leave()
            access.stop()
            stream.step("end", { reason: "closed" })
        },
    }
}
