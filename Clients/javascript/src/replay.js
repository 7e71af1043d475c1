import { Patcher } from "./patch.js"

/** @typedef {{type: string, payload?: any}} Action */
/** @typedef {{type: string, id?: string, data: any}} Event an event whose data is parsed */
/**
 * @typedef {object} Entry
 * @property {string} key names the entry before it has a number
 * @property {Action[]} actions
 * @property {string} [ifMatch]
 * @property {boolean} [isSecret] it must not be written to disk, and is not predicted
 * @property {boolean} [isBlind] it is not predicted
 * @property {number} size bytes of the entry as JSON
 * @property {number} [number] its place in the outbox
 * @property {string} [reason] of the local rules, if they reject it
 * @property {Result} [result]
 */
/**
 * @typedef {object} Result
 * @property {number} n
 * @property {"committed" | "ignored" | "rejected" | "mismatched" | "refused"} outcome
 * @property {number} revision
 * @property {string[]} [effects]
 * @property {any} [problem]
 * @property {string} [history] in which it was decided
 * @property {boolean} [isExpired] the history is gone, and the revision will never come
 */
/**
 * @typedef {object} Confirmed
 * @property {any} value
 * @property {number} revision
 * @property {string} [id] of the newest event
 * @property {string} [history]
 * @property {string} [mark] of this client
 * @property {number} through the highest number of this client that the value contains
 * @property {string} [version] of the kind
 */

/** A reducer returns this where its rules forbid an action. */
export class Rejection {
    /** @param {string} reason */
    constructor(reason) {
        this.reason = reason
    }
}

/**
 * The confirmed state after the events of one read. All of them apply, or the error of one leaves the state as it was.
 * @param {Confirmed} confirmed
 * @param {Event[]} events
 * @returns {Confirmed}
 */
export function confirm(confirmed, events) {
    const next = { ...confirmed }
    /** @type {Patcher | undefined} */
    let patcher
    for (const { type, id, data } of events) {
        if (type === "state") {
            patcher = undefined
            next.value = data.state
        } else if (type === "patch") {
            if (next.value === undefined) throw new Error("patch: there is no state")
            patcher ??= new Patcher(next.value)
            patcher.apply(data.patch)
            next.value = patcher.value
        } else if (type === "ready") {
            // A restored backup has fewer numbers, so the old ones say nothing about the new history.
            if (next.history !== data.history) next.through = 0
            next.history = data.history
            next.version = data.version
            next.mark = data.mark ?? next.mark
        } else continue
        next.revision = data.revision
        next.id = id || next.id
        next.through = Math.max(next.through, data.through?.[next.mark ?? ""] ?? 0)
    }
    return next
}

/** Replays pending entries on the confirmed state. */
export class Replay {
    /** @type {Confirmed} */
    confirmed = { value: undefined, revision: -1, through: 0 }
    /** @type {Entry[]} in the order of the outbox; entries without a number come last */
    entries = []
    /** @type {any} the confirmed state with the entries replayed on it */
    shown
    predicts = true
    #reducer
    /** @type {Set<string | undefined>} earlier histories */
    #gone = new Set()

    /** @param {((state: any, action: any) => any) | undefined} reducer */
    constructor(reducer) {
        this.#reducer = reducer
    }

    /** @param {Entry} entry */
    add(entry) {
        this.entries.push(entry)
        if (!this.contains(entry)) this.#apply(entry)
    }

    /** @param {Confirmed} confirmed */
    confirm(confirmed) {
        const { history } = this.confirmed
        if (history !== confirmed.history) {
            this.#gone.add(history)
            this.expire(confirmed.history)
        }
        this.confirmed = confirmed
        this.replay()
    }

    /**
     * Lets no entry wait for a revision of a history that the server has left.
     * @param {string | undefined} history the present one
     */
    expire(history) {
        for (const { result } of this.entries) if (result && result.history !== history) result.isExpired = true
    }

    /** @param {string | undefined} history @returns {boolean | undefined} whether the server has left it */
    isGone(history) {
        return history !== undefined && history !== this.confirmed.history && this.#gone.has(history)
    }

    /** @param {Confirmed} other @returns {boolean} whether it comes before the confirmed state */
    isOlder({ history, revision }) {
        const { confirmed } = this
        return this.#gone.has(history) || (history === confirmed.history && revision < confirmed.revision)
    }

    /**
     * Takes out the entries that are done: their outcome is known, and the confirmed state contains it.
     * @returns {Entry[]}
     */
    takeDone() {
        /** @type {Entry[]} */
        const done = []
        this.entries = this.entries.filter(entry => {
            const { result } = entry
            const isDone = result && (result.outcome !== "committed" || this.contains(entry))
            if (isDone) done.push(entry)
            return !isDone
        })
        if (done.length) this.replay()
        return done
    }

    /** @param {Entry} entry */
    contains({ number = Infinity, result }) {
        const { through, history, revision } = this.confirmed
        if (number <= through) return true
        return !!result && (result.isExpired || (result.history === history && result.revision <= revision))
    }

    replay() {
        this.shown = this.confirmed.value
        for (const entry of this.entries) if (!this.contains(entry)) this.#apply(entry)
    }

    /** Puts entries in the order of their numbers, as other tabs may have been faster. */
    sort() {
        const place = (/** @type {Entry} */ { number = Infinity }) => number
        if (this.entries.every((entry, i) => !i || place(entry) >= place(this.entries[i - 1]))) return
        this.entries.sort((a, b) => (place(a) < place(b) ? -1 : +(place(a) > place(b))))
        this.replay()
    }

    /** @param {Entry} entry */
    #apply(entry) {
        entry.reason = undefined
        let state = this.shown
        if (!this.#reducer || !this.predicts || entry.isSecret || entry.isBlind || state === undefined) return
        try {
            for (const action of entry.actions) {
                state = this.#reducer(state, action)
                if (state instanceof Rejection) entry.reason = state.reason
                if (state === undefined || state instanceof Rejection) return
            }
        } catch {
            return // a reducer that cannot run this action changes nothing
        }
        this.shown = state
    }
}
