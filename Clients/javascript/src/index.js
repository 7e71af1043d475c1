import { environment } from "./environment.js"
import { Rejection } from "./replay.js"
import { createStore } from "./store.js"

export { ActionRejected, ConnectionEnded, OutboxFull, OutcomeUnknown, StorehouseError } from "./problem.js"
export { reactBinding } from "./react.js"

/**
 * Opens a store of the server.
 * @param {string | URL} url of a session or a share
 * @param {import("./options.js").Options} [options]
 */
export function connect(url, options = {}) {
    const { href, pathname } = new URL(url, globalThis.location?.href)
    if (!/\/(sessions|shared)\/[^/]+\/?$/.test(pathname)) throw new TypeError("no address of a session: " + href)
    const { storage = "memory" } = options
    if (!["memory", "indexeddb"].includes(storage)) throw new TypeError("no such storage: " + storage)
    return createStore(href, options, environment())
}

/**
 * A reducer returns this where its rules forbid an action.
 * @param {string} reason
 */
export const reject = reason => new Rejection(reason)
