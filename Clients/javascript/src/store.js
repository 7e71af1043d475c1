import { createCore } from "./core.js"
import { createEffects } from "./effects.js"
import { ended, OutboxFull, refusal } from "./problem.js"

/** @typedef {import("./replay.js").Entry} Entry */
/** @typedef {import("./replay.js").Result} Result */
/** @typedef {import("./replay.js").Action} Action */
/** @typedef {{ifMatch?: string, isSecret?: boolean, predicts?: boolean}} DispatchOptions */
/** @typedef {{action: Action, actions: Action[], reason?: string}} Pending */
/** @typedef {{stored: Promise<void>, settled: Promise<boolean>}} Stages */
/**
 * @typedef {object} Pledge
 * @property {(outcome: any) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {(isSettled: boolean) => void} settle
 */
/** @typedef {{phase: "pending" | "done" | "lost" | "changed", entry?: Entry, result?: Result, state: any}} Trace */

const mostEntries = 1000
const mostBytes = 1 << 20
const mostRefusals = 20

/** @typedef {(value: any) => void} Listener */

/** @param {Set<Listener>} listeners @returns {(listener: Listener) => () => void} adds one, and returns what removes it */
const adds = listeners => listener => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
}

/** @param {Iterable<Listener>} listeners @param {any} [value] */
function tell(listeners, value) {
    for (const listener of listeners) {
        try {
            listener(value)
        } catch (error) {
            console.error(error) // the fault of a view must not stop what it is told of
        }
    }
}

/** @typedef {ReturnType<typeof createStore>} Store */

/**
 * A store of the server. `state` has the pending actions replayed on the confirmed state.
 * @param {string} url @param {import("./options.js").Options} options
 * @param {import("./environment.js").Environment} environment
 */
export function createStore(url, options, environment) {
    /** @type {import("./problem.js").StorehouseError[]} */
    let refusals = []
    /** @type {Set<Listener>} */
    const views = new Set()
    /** @type {Set<Listener>} */
    const connections = new Set()
    /** @type {Set<Listener>} */
    const reports = new Set()
    /** @type {Set<Listener>} */
    const events = new Set()
    /** @type {Set<Listener>} */
    const traces = new Set()
    /** @type {WeakMap<Entry, Pledge>} */
    const pledges = new WeakMap()
    /** Types of actions for which the reducer has thrown. */
    const failing = new Set()
    const effects = createEffects()
    /** @type {Pending[]} */
    let pending = []
    let isPainting = false
    /** @type {(() => void)[]} */
    let flushing = []
    /** @type {any} */
    let first
    const ready = new Promise((resolve, reject) => (first = { resolve, reject }))
    ready.catch(() => {})
    const core = createCore(url, options, environment, {
        changed,
        left,
        connected,
        heard,
        report,
        failed,
    })
    const { ledger } = core

    /** @param {boolean} [isSoon] */
    function changed(isSoon) {
        if (ledger.confirmed.value !== undefined) first.resolve(ledger.shown)
        const paint = () => {
            isPainting = false
            tell(views)
        }
        if (!isSoon) paint()
        else if (!isPainting) {
            isPainting = true
            environment.frame(() => isPainting && paint())
        }
        if (isSoon) trace("changed")
    }

    /** @param {{kind: string, [member: string]: any}} told */
    function report(told) {
        if (told.error) console.error(told.kind, told.error)
        tell(reports, told)
    }

    /** @param {unknown} error @param {Action} action */
    function failed(error, action) {
        if (failing.has(action.type)) return
        failing.add(action.type)
        // Behind the replay, because the app may dispatch when it hears of it.
        queueMicrotask(() => report({ kind: "reducer", error, action }))
    }

    function idle() {
        if (!ledger.entries.length) for (const done of flushing.splice(0)) done()
    }

    /** @param {Entry} entry that is no longer pending @param {any} [error] the reason, if it has no result */
    function left(entry, error) {
        const { result, actions } = entry
        const pledge = pledges.get(entry)
        trace(error ? "lost" : "done", entry)
        if (result && !error && result.outcome !== "committed" && result.outcome !== "ignored") {
            error = refusal(result, entry)
            // Such an action is wrong or not allowed, which is seldom meant for a view.
            if (result.outcome === "refused") console.error(error)
            refusals = [...refusals, error].slice(-mostRefusals)
            tell(views)
        }
        if (result && !error) {
            const { outcome, revision, effects: started = [] } = result
            pledge?.resolve({ outcome, revision, effects: started })
            const count = outcome === "committed" ? started.length : 0
            const wait = { from: revision - actions.length, to: revision, left: count, settle: pledge?.settle ?? (() => {}) }
            effects.wait(wait, !!options.effects && core.connection.status === "live")
        } else {
            pledge?.reject(error)
            pledge?.settle(false)
        }
        idle()
    }

    /** @param {Trace["phase"]} phase @param {Entry} [entry] */
    function trace(phase, entry) {
        tell(traces, { phase, entry, result: entry?.result, state: ledger.shown })
    }

    /** @param {import("./connection.js").ConnectionState} connection */
    function connected(connection) {
        tell(connections, connection)
        if (connection.status !== "live") effects.lose()
        if (connection.status === "ended") {
            const error = ended(connection)
            if (connection.problem) console.error(error)
            first.reject(error)
            idle()
        }
    }

    /** @param {import("./replay.js").Event} event */
    function heard(event) {
        tell(events, event)
        effects.hear(event)
    }

    /** @param {Entry} entry */
    function admit({ size }) {
        if (core.connection.status === "ended") throw ended(core.connection)
        const { entries, room } = ledger
        const bytes = entries.reduce((sum, entry) => sum + entry.size, size)
        if (entries.length >= mostEntries || bytes > mostBytes) throw new OutboxFull("the outbox is full")
        if (size > room) throw new OutboxFull("the actions are larger than a request")
    }

    return {
        get state() {
            return ledger.shown
        },
        get confirmed() {
            return ledger.confirmed.value
        },
        get revision() {
            return ledger.confirmed.revision
        },
        /** The confirmed revision in the form that `ifMatch` takes. */
        get etag() {
            const { revision, history } = ledger.confirmed
            return history ? revision + "." + history : "" + revision
        },
        get connection() {
            return core.connection
        },
        /** The newest refusals, the last one last. */
        get refusals() {
            return refusals
        },
        /** @returns {Pending[]} the same array until it changes */
        get pending() {
            const isSame = (/** @type {Entry} */ { actions, reason }, /** @type {number} */ i) =>
                actions === pending[i].actions && reason === pending[i].reason
            if (ledger.entries.length !== pending.length || !ledger.entries.every(isSame)) {
                pending = ledger.entries.map(({ actions, reason }) => ({ action: actions[0], actions, reason }))
            }
            return pending
        },
        /** The first state. */
        ready,
        subscribe: adds(views),
        /** @param {Listener} listener hears of the present connection at once */
        onConnection(listener) {
            tell([listener], core.connection)
            return adds(connections)(listener)
        },
        /** Tells what no promise tells. */
        onReport: adds(reports),
        /** Tells of effects, presence, signals and log entries. */
        onEvent: adds(events),
        /** @type {(listener: (trace: Trace) => void) => () => void} for debugging tools */
        onTrace: adds(traces),

        /**
         * Shows an action, or several that commit together, at once, and sends it.
         * @param {Action | Action[]} action
         * @param {DispatchOptions} how
         * @returns {Promise<any> & Stages}
         */
        dispatch(action, { ifMatch, isSecret, predicts = true } = {}) {
            /** @type {any} */
            const pledge = {}
            const promise = new Promise((resolve, reject) => Object.assign(pledge, { resolve, reject }))
            const settled = new Promise(resolve => (pledge.settle = resolve))
            /** @type {Promise<void>} */
            let stored
            try {
                const text = JSON.stringify({ actions: [action].flat(), ifMatch })
                const size = new TextEncoder().encode(text).length
                const entry = { ...JSON.parse(text), key: environment.id(), size }
                if (!entry.actions.every(Boolean)) throw new TypeError("an action is an object with a type")
                const isNamed = (/** @type {Action} */ { type }) => options.secret?.includes(type)
                entry.isSecret = isSecret ?? entry.actions.some(isNamed)
                entry.isBlind = !predicts
                admit(entry)
                pledges.set(entry, pledge)
                ledger.add(entry)
                changed()
                trace("pending", entry)
                stored = core.append(entry)
            } catch (error) {
                pledge.reject(error)
                pledge.settle(false)
                stored = Promise.reject(error)
            }
            // A page that looks at `refusals` instead need not catch.
            promise.catch(() => {})
            stored.catch(console.error) // the action is lost
            return Object.assign(promise, { stored, settled })
        },

        /** @returns {Promise<void>} done when nothing is pending */
        flush: () =>
            new Promise(resolve => {
                flushing.push(() => resolve())
                idle()
            }),

        setToken: core.setToken,
        close: () => core.end("closed"),
        /** Deletes the outbox and the cache of this user. */
        signOut: core.signOut,
    }
}
