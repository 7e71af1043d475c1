import { Core } from "./core.js"
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
const mostEffects = 200
const finals = ["succeeded", "failed", "cancelled"]

/** @typedef {(value: any) => void} Listener */

/** @param {Set<Listener>} listeners @returns {(listener: Listener) => () => void} adds one, and returns what removes it */
const adding = listeners => listener => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
}

/** @param {Set<Listener>} listeners @param {any} [value] */
function tell(listeners, value) {
    for (const listener of listeners) {
        try {
            listener(value)
        } catch (error) {
            console.error(error) // the fault of a view must not stop what it is told of
        }
    }
}

/** A store of the server. `state` has the pending actions replayed on the confirmed state. */
export class Store {
    /** @type {import("./problem.js").StorehouseError[]} the newest refusals, the last one last */
    refusals = []
    /** @type {Promise<any>} the first state */
    ready
    #core
    #environment
    #options
    /** @type {Set<Listener>} */
    #views = new Set()
    /** @type {Set<Listener>} */
    #connections = new Set()
    /** @type {Set<Listener>} */
    #reports = new Set()
    /** @type {Set<Listener>} */
    #events = new Set()
    /** @type {Set<Listener>} */
    #traces = new Set()
    /** @type {WeakMap<Entry, Pledge>} */
    #pledges = new WeakMap()
    /** @type {{resolve(state: any): void, reject(error: Error): void} | undefined} */
    #first
    /** @type {Pending[]} */
    #pending = []
    #isPainting = false
    /** @type {(() => void)[]} */
    #flushing = []
    /** @type {number[]} causes of effects that have ended, one for each effect */
    #ended = []
    /** @type {{from: number, to: number, left: number, settle(isSettled: boolean): void}[]} */
    #effects = []

    /**
     * @param {string} url @param {import("./options.js").Options} options
     * @param {import("./environment.js").Environment} environment
     */
    constructor(url, options, environment) {
        this.#options = options
        this.#environment = environment
        this.ready = new Promise((resolve, reject) => (this.#first = { resolve, reject }))
        this.ready.catch(() => {})
        this.#core = new Core(url, options, environment, {
            changed: isSoon => this.#changed(isSoon),
            left: (entry, error) => this.#left(entry, error),
            connected: state => this.#connected(state),
            heard: event => this.#heard(event),
            report: report => tell(this.#reports, report),
        })
    }

    get state() {
        return this.#core.ledger.shown
    }

    get confirmed() {
        return this.#core.ledger.confirmed.value
    }

    get revision() {
        return this.#core.ledger.confirmed.revision
    }

    /** The confirmed revision in the form that `ifMatch` takes. */
    get etag() {
        const { revision, history } = this.#core.ledger.confirmed
        return history ? revision + "." + history : "" + revision
    }

    get connection() {
        return this.#core.connection
    }

    /** @returns {Pending[]} the same array until it changes */
    get pending() {
        const { entries } = this.#core.ledger
        const isSame = (/** @type {Entry} */ { actions, reason }, /** @type {number} */ i) =>
            actions === this.#pending[i].actions && reason === this.#pending[i].reason
        if (entries.length !== this.#pending.length || !entries.every(isSame)) {
            this.#pending = entries.map(({ actions, reason }) => ({ action: actions[0], actions, reason }))
        }
        return this.#pending
    }

    subscribe = adding(this.#views)

    onConnection = adding(this.#connections)

    /** Tells what no promise tells. */
    onReport = adding(this.#reports)

    /** Tells of effects, presence and signals. */
    onEvent = adding(this.#events)

    /** @type {(listener: (trace: Trace) => void) => () => void} for debugging tools */
    onTrace = adding(this.#traces)

    /**
     * Shows an action, or several that commit together, at once, and sends it.
     * @param {Action | Action[]} action
     * @param {DispatchOptions} [options]
     * @returns {Promise<any> & Stages}
     */
    dispatch = (action, options) => {
        const { ifMatch, isSecret, predicts = true } = options ?? {}
        /** @type {Partial<Pledge>} */
        const pledge = {}
        const promise = new Promise((resolve, reject) => Object.assign(pledge, { resolve, reject }))
        const settled = new Promise(resolve => (pledge.settle = resolve))
        /** @type {Promise<void>} */
        let stored
        try {
            const text = JSON.stringify({ actions: [action].flat(), ifMatch })
            const size = new TextEncoder().encode(text).length
            const entry = { ...JSON.parse(text), key: this.#environment.id(), size }
            const isNamed = (/** @type {Action} */ { type }) => this.#options.secret?.includes(type)
            entry.isSecret = isSecret ?? entry.actions.some(isNamed)
            entry.isBlind = !predicts
            this.#admit(entry)
            this.#pledges.set(entry, /** @type {Pledge} */ (pledge))
            this.#core.ledger.add(entry)
            this.#changed()
            this.#trace("pending", entry)
            stored = this.#core.append(entry)
        } catch (error) {
            pledge.reject?.(error)
            pledge.settle?.(false)
            stored = Promise.reject(error)
        }
        // A page that looks at `refusals` instead need not catch.
        for (const stage of [promise, stored]) stage.catch(() => {})
        return Object.assign(promise, { stored, settled })
    }

    /** @returns {Promise<void>} done when nothing is pending */
    flush = () =>
        new Promise(resolve => {
            this.#flushing.push(() => resolve())
            this.#idle()
        })

    /** @param {string | null} token */
    setToken = token => this.#core.setToken(token)

    close = () => this.#core.end("closed")

    /** Deletes the outbox and the cache of this user. */
    signOut = () => this.#core.signOut()

    /** @param {Entry} entry */
    #admit({ size }) {
        const { ledger, isEnded } = this.#core
        if (isEnded) throw ended(this.connection)
        const { entries, room } = ledger
        const bytes = entries.reduce((sum, entry) => sum + entry.size, size)
        if (entries.length >= mostEntries || bytes > mostBytes) throw new OutboxFull("the outbox is full")
        if (size > room) throw new OutboxFull("the actions are larger than a request")
    }

    /** @param {boolean} [isSoon] */
    #changed(isSoon) {
        if (this.#core?.ledger.confirmed.value !== undefined) this.#first?.resolve(this.state)
        const paint = () => {
            this.#isPainting = false
            tell(this.#views)
        }
        if (!isSoon) paint()
        else if (!this.#isPainting) {
            this.#isPainting = true
            this.#environment.frame(() => this.#isPainting && paint())
        }
        if (isSoon) this.#trace("changed")
    }

    #idle() {
        if (!this.#core.ledger.entries.length) for (const done of this.#flushing.splice(0)) done()
    }

    /** @param {Entry} entry that is no longer pending @param {any} [error] the reason, if it has no result */
    #left(entry, error) {
        const { result, actions } = entry
        const pledge = this.#pledges.get(entry)
        this.#trace(error ? "lost" : "done", entry)
        if (result && !error && result.outcome !== "committed" && result.outcome !== "ignored") {
            error = refusal(result, entry)
            this.refusals = [...this.refusals, error].slice(-mostRefusals)
            tell(this.#views)
        }
        if (result && !error) {
            const { outcome, revision, effects = [] } = result
            pledge?.resolve({ outcome, revision, effects })
            this.#await(revision - actions.length, revision, outcome === "committed" ? effects.length : 0, pledge?.settle)
        } else {
            pledge?.reject(error)
            pledge?.settle(false)
        }
        this.#idle()
    }

    /** @param {Trace["phase"]} phase @param {Entry} [entry] */
    #trace(phase, entry) {
        tell(this.#traces, { phase, entry, result: entry?.result, state: this.state })
    }

    /** @param {import("./connection.js").ConnectionState} state */
    #connected(state) {
        tell(this.#connections, state)
        if (state.status === "live") return
        // The ends of effects are not told again after a loss.
        for (const { settle } of this.#effects.splice(0)) settle(false)
        if (state.status === "ended") {
            this.#first?.reject(ended(state))
            this.#idle()
        }
    }

    /** @param {import("./replay.js").Event} event */
    #heard(event) {
        tell(this.#events, event)
        if (event.type !== "effect" || !finals.includes(event.data.phase)) return
        const { cause } = event.data
        this.#ended = [...this.#ended, cause].slice(-mostEffects)
        this.#effects = this.#effects.filter(wait => {
            if (cause > wait.from && cause <= wait.to) wait.left--
            if (!wait.left) wait.settle(true)
            return wait.left
        })
    }

    /**
     * Waits for effects whose causes have the revisions behind `from` up to `to`.
     * @param {number} from @param {number} to @param {number} left how many effects there are
     * @param {((isSettled: boolean) => void) | undefined} settle
     */
    #await(from, to, left, settle) {
        if (!settle) return
        left -= this.#ended.filter(cause => cause > from && cause <= to).length
        if (left <= 0) settle(true)
        else if (!this.#options.effects || this.connection.status !== "live") settle(false)
        else this.#effects.push({ from, to, left, settle })
    }
}
