import { Core } from "./core.js"
import { ConnectionEnded, OutboxFull, OutcomeUnknown, refusal } from "./problem.js"

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

/** Functions that are told of a change. */
class Listeners {
    /** @type {Set<(value: any) => void>} */
    #all = new Set()

    /** @param {(value: any) => void} listener @returns {() => void} removes it */
    add(listener) {
        this.#all.add(listener)
        return () => void this.#all.delete(listener)
    }

    /** @param {any} [value] */
    tell(value) {
        for (const listener of this.#all) {
            try {
                listener(value)
            } catch (error) {
                console.error(error) // the fault of a view must not stop what it is told of
            }
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
    #views = new Listeners()
    #connections = new Listeners()
    #reports = new Listeners()
    #events = new Listeners()
    #traces = new Listeners()
    /** @type {Map<string, Pledge>} */
    #pledges = new Map()
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
            done: (entry, result) => this.#done(entry, result),
            lost: (entry, error) => this.#lost(entry, error),
            connected: state => this.#connected(state),
            heard: event => this.#heard(event),
            report: report => this.#reports.tell(report),
        })
    }

    get state() {
        return this.#core.replay.shown
    }

    get confirmed() {
        return this.#core.replay.confirmed.value
    }

    get revision() {
        return this.#core.replay.confirmed.revision
    }

    /** The confirmed revision in the form that `ifMatch` takes. */
    get etag() {
        const { revision, history } = this.#core.replay.confirmed
        return history ? revision + "." + history : "" + revision
    }

    get connection() {
        return this.#core.stream.connection.state
    }

    /** @returns {Pending[]} the same array until it changes */
    get pending() {
        const { entries } = this.#core.replay
        const isSame = (/** @type {Entry} */ { actions, reason }, /** @type {number} */ i) =>
            actions === this.#pending[i].actions && reason === this.#pending[i].reason
        if (entries.length !== this.#pending.length || !entries.every(isSame)) {
            this.#pending = entries.map(({ actions, reason }) => ({ action: actions[0], actions, reason }))
        }
        return this.#pending
    }

    /** @param {() => void} listener */
    subscribe = listener => this.#views.add(listener)

    /** @param {(state: import("./connection.js").ConnectionState) => void} listener */
    onConnection = listener => this.#connections.add(listener)

    /** @param {(report: any) => void} listener is told what no promise tells */
    onReport = listener => this.#reports.add(listener)

    /** @param {(event: any) => void} listener of effects, presence and signals */
    onEvent = listener => this.#events.add(listener)

    /** @param {(trace: Trace) => void} listener for debugging tools */
    onTrace = listener => this.#traces.add(listener)

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
            this.#pledges.set(entry.key, /** @type {Pledge} */ (pledge))
            this.#core.replay.add(entry)
            this.#changed()
            this.#traces.tell({ phase: "pending", entry, state: this.state })
            this.#core.announce(entry)
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
        const { replay, outbox, isEnded } = this.#core
        if (isEnded) throw new ConnectionEnded("the connection has ended", { reason: this.connection.reason })
        const bytes = replay.entries.reduce((sum, entry) => sum + entry.size, size)
        if (replay.entries.length >= mostEntries || bytes > mostBytes) throw new OutboxFull("the outbox is full")
        if (size > outbox.room) throw new OutboxFull("the actions are larger than a request")
    }

    /** @param {boolean} [isSoon] */
    #changed(isSoon) {
        if (this.#core?.replay.confirmed.value !== undefined) this.#first?.resolve(this.state)
        const paint = () => {
            this.#isPainting = false
            this.#views.tell()
        }
        if (!isSoon) paint()
        else if (!this.#isPainting) {
            this.#isPainting = true
            this.#environment.frame(() => this.#isPainting && paint())
        }
        if (isSoon) this.#traces.tell({ phase: "changed", state: this.state })
    }

    #idle() {
        if (!this.#core.replay.entries.length) for (const done of this.#flushing.splice(0)) done()
    }

    /** @param {Entry} entry @param {Result} result */
    #done(entry, result) {
        const { outcome, revision, effects = [] } = result
        const pledge = this.#pledges.get(entry.key)
        this.#pledges.delete(entry.key)
        this.#traces.tell({ phase: "done", entry, result, state: this.state })
        if (outcome === "committed" || outcome === "ignored") {
            pledge?.resolve({ outcome, revision, effects })
            const isCommitted = outcome === "committed"
            this.#await(revision - entry.actions.length, revision, isCommitted ? effects.length : 0, pledge?.settle)
        } else {
            const error = refusal(result, entry)
            this.refusals = [...this.refusals, error].slice(-mostRefusals)
            this.#views.tell()
            pledge?.reject(error)
            pledge?.settle(false)
        }
        this.#idle()
    }

    /** @param {Entry} entry @param {Error} [error] */
    #lost(entry, error) {
        const { status, reason } = this.connection
        const pledge = this.#pledges.get(entry.key)
        this.#pledges.delete(entry.key)
        const { actions } = entry
        error ??= status === "ended" ? new ConnectionEnded("the connection has ended", { reason })
            : new OutcomeUnknown("the server does not know the outcome", { actions, action: actions[0] })
        this.#traces.tell({ phase: "lost", entry, state: this.state })
        pledge?.reject(error)
        pledge?.settle(false)
        this.#idle()
    }

    /** @param {import("./connection.js").ConnectionState} state */
    #connected(state) {
        this.#connections.tell(state)
        if (state.status === "live") return
        // The ends of effects are not told again after a loss.
        for (const { settle } of this.#effects.splice(0)) settle(false)
        if (state.status === "ended") {
            this.#first?.reject(new ConnectionEnded("the connection has ended", { reason: state.reason }))
            this.#idle()
        }
    }

    /** @param {import("./replay.js").Event} event */
    #heard(event) {
        this.#events.tell(event)
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
