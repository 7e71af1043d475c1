/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./store.js").Trace} Trace */

/**
 * Shows pending, committed, rejected and rebased actions in the Redux DevTools, where the browser has them.
 * @param {Store} store
 * @param {{name?: string, extension?: any}} [options]
 * @returns {() => void} stops it
 */
export function devtools(store, options = {}) {
    const { name = "storehouse", extension } = options
    const tools = (extension ?? /** @type {any} */ (globalThis).__REDUX_DEVTOOLS_EXTENSION__)?.connect({ name })
    if (!tools) return () => {}
    const view = () => {
        const { state: shown, confirmed, revision, pending } = store
        return { shown, confirmed, revision, pending }
    }
    let revision = store.revision
    tools.init(view())
    return store.onTrace(({ phase, entry, result }) => {
        const types = entry?.actions.map(({ type }) => type).join(", ")
        if (phase === "changed") {
            if (store.revision === revision) return
            revision = store.revision
            tools.send({ type: `${store.pending.length ? "rebased" : "confirmed"} ${revision}` }, view())
        } else tools.send({ type: `${result?.outcome ?? phase} ${types}`, actions: entry?.actions, result }, view())
    })
}
