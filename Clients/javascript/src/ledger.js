import { unknown } from "./problem.js"
import { confirm, predict } from "./replay.js"

/** @typedef {import("./replay.js").Confirmed} Confirmed */
/** @typedef {import("./replay.js").Entry} Entry */
/** @typedef {import("./replay.js").Event} Event */
/** @typedef {import("./replay.js").Result} Result */
/** @typedef {import("./replay.js").Numbered} Numbered */
/** @typedef {{results?: Result[], history?: string, mark?: string}} Decisions of the newest answer */
/**
 * @typedef {object} Saved what the disk or another tab has
 * @property {string} client
 * @property {number} last
 * @property {number} [sent]
 * @property {number} [room]
 * @property {Entry[]} entries an entry without actions is one that only its own tab knows
 * @property {Confirmed} [confirmed]
 * @property {Decisions} [decisions]
 */
/**
 * @typedef {object} LedgerOwner
 * @property {(isSoon?: boolean) => void} changed the shown state or the pending entries; soon, if a frame may pass
 * @property {(entry: Entry, error?: Error) => void} left an entry is no longer pending; without an error it has its result
 * @property {(event: Event) => void} heard an event that is no value
 * @property {(report: {kind: string, [member: string]: any}) => void} report
 * @property {(error: unknown, action: import("./replay.js").Action) => void} failed the reducer has thrown, in the midst of a replay
 */

const remembered = 200
const most = 1000

/** The knowledge of a tab, whether it leads or follows: the confirmed state, the pending entries, and the record of the outbox. */
export class Ledger {
    /** @type {Confirmed} */
    confirmed = { value: undefined, revision: -1, through: 0 }
    /** @type {Entry[]} in the order of the outbox; entries without a number come last */
    entries = []
    /** @type {any} the confirmed state with the entries replayed on it */
    shown
    client = ""
    /** The highest number up to which each entry is known. */
    last = 0
    /** The highest number that may have reached the server under this client. */
    sent = 0
    /** The server has told of the record. Only then are entries sent. */
    isTold = false
    /** The outcomes must be read before anything else is sent. */
    mustRead = false
    /** The server keeps no records: idempotency keys stand in, for as long as it keeps those. */
    isPlain = false
    /** Bytes that a request may have. */
    room = 65536
    /** @type {number[]} decided entries whose rows are still on disk */
    done = []
    /** @type {Result[]} the newest, for tabs that were frozen */
    #results = []
    /** @type {string | undefined} of the newest answer */
    #history
    /** @type {Set<string | undefined>} earlier histories */
    #gone = new Set()
    /** @type {any} */
    #told
    #options
    #owner

    /** @param {import("./options.js").Options} options @param {LedgerOwner} owner */
    constructor(options, owner) {
        this.#options = options
        this.#owner = owner
    }

    /** @returns {Numbered[]} entries without an outcome, in order */
    get queue() {
        return /** @type {Numbered[]} */ (this.entries.filter(({ number, result }) => number && !result))
    }

    get #predicts() {
        const { version } = this.#options
        const { version: current } = this.confirmed
        return !this.isPlain && (!version || !current || version === current)
    }

    /** @param {string} key */
    find(key) {
        return this.entries.find(entry => entry.key === key)
    }

    /** @param {Entry} entry */
    add(entry) {
        this.entries.push(entry)
        this.#apply(entry)
    }

    /** @param {Entry} entry @returns {boolean | undefined} whether the confirmed state contains it, as far as is known */
    contains({ number = Infinity, result }) {
        const { through, history, revision } = this.confirmed
        if (number <= through) return true
        return result && (result.isExpired || (result.history === history && result.revision <= revision))
    }

    /** @param {string | undefined} history @returns {boolean} whether the server has left it */
    isGone(history) {
        return history !== this.confirmed.history && this.#gone.has(history)
    }

    /** @param {Event[]} events */
    take(events) {
        const { confirmed: before } = this
        this.confirm(confirm(before, events))
        const { history, version } = this.confirmed
        const known = before.history ?? this.#history
        if (known && history !== known) {
            this.mustRead = this.isTold ||= !!before.mark
            this.#owner.report({ kind: "history", history })
        }
        // A record that is gone has to be found out before anything is shown for long.
        const ready = events.find(({ type }) => type === "ready")?.data
        if (ready && !ready.mark) this.mustRead ||= this.isTold
        this.room = ready?.maxBody ?? this.room
        if (!this.#predicts && version !== before.version) this.#owner.report({ kind: "version", version })
        this.settle(true)
        for (const event of events) if (!["state", "patch", "ready"].includes(event.type)) this.#owner.heard(event)
    }

    /** @param {Confirmed} confirmed */
    confirm(confirmed) {
        const { history } = this.confirmed
        if (history !== confirmed.history) {
            if (history) this.#gone.add(history)
            this.#expire(confirmed.history)
        }
        this.confirmed = confirmed
        this.#replay()
    }

    /** @param {Decisions} decisions */
    decide(decisions) {
        this.#record(decisions)
        this.settle()
    }

    /** @param {Decisions} decisions */
    #record({ results = [], history, mark }) {
        this.confirmed = { ...this.confirmed, mark: this.confirmed.mark ?? mark }
        for (const result of results) {
            const entry = this.entries.find(({ number }) => number === result.n)
            if (!entry || entry.result) continue
            entry.result = { ...result }
            this.done = [...this.done, result.n].slice(-most)
        }
        this.#history = history ?? this.#history
        if (history && history === this.confirmed.history) this.#expire(history)
        this.#results = [...this.#results, ...results].slice(-remembered)
        this.#replay()
    }

    /** @param {string} client of which the server knows nothing yet */
    rename(client) {
        Object.assign(this, { client, sent: 0, isTold: false, mustRead: false })
        this.confirmed = { ...this.confirmed, mark: undefined, through: 0 }
    }

    /** @returns {Saved} all that another tab needs */
    get snapshot() {
        const { client, last, room, confirmed } = this
        const decisions = { results: this.#results, history: this.#history, mark: confirmed.mark }
        return { client, last, room, confirmed, decisions, entries: this.entries.filter(({ number }) => number) }
    }

    /** @param {Saved} saved @param {Entry} [late] an entry that counts only if it is saved */
    load({ client, last, sent = 0, room = this.room, entries, confirmed, decisions }, late) {
        if (this.client && client !== this.client) this.rename(client)
        Object.assign(this, { client, room, last: Math.max(last, this.last), sent: Math.max(sent, this.sent) })
        if (confirmed && confirmed.value !== undefined) this.#adopt(confirmed)
        this.isTold ||= this.sent > 0 || !!this.confirmed.mark
        for (const saved of entries) {
            const { key, number = 0, result, actions } = saved
            const entry = this.find(key)
            if (entry) Object.assign(entry, { number, result: entry.result ?? result })
            else if (late?.key === key) this.add({ ...late, number })
            else if (actions && !this.done.includes(number)) this.add(saved)
        }
        this.sort()
        if (decisions) this.#record(decisions)
        // Another tab has sent an entry that is not there any more, and this one missed the outcome while it was frozen.
        const keys = new Set(entries.map(({ key }) => key))
        this.forget(this.queue.filter(({ key, number }) => number <= last && !keys.has(key)))
    }

    /** @param {Confirmed} confirmed of another tab, which may know less if it was frozen */
    #adopt(confirmed) {
        const { history, revision, through } = this.confirmed
        if (this.isGone(confirmed.history)) return
        if (history !== confirmed.history || revision < confirmed.revision) return this.confirm(confirmed)
        this.confirmed = { ...this.confirmed, through: Math.max(through, confirmed.through) }
        this.#replay()
    }

    /** Puts entries in the order of their numbers, as other tabs may have been faster. */
    sort() {
        const place = (/** @type {Entry} */ { number = Number.MAX_VALUE }) => number
        const sorted = [...this.entries].sort((a, b) => place(a) - place(b))
        if (sorted.every((entry, i) => entry === this.entries[i])) return
        this.entries = sorted
        this.#replay()
    }

    /** @param {Entry[]} entries whose outcome nobody knows */
    forget(entries) {
        const lost = this.entries.filter(entry => entries.includes(entry))
        if (lost.length) this.#owner.report({ kind: "unknown", entries: lost.map(({ actions }) => actions) })
        this.settle(false, lost, unknown)
    }

    /**
     * Takes out the entries that are done, because their outcome is known and the confirmed state contains it, and with them those
     * that are lost. Tells the owner once of all that has changed.
     * @param {boolean} [isSoon] @param {Entry[]} [lost] @param {(entry: Entry) => Error} [error] of those that are lost
     */
    settle(isSoon, lost = [], error = unknown) {
        const done = this.entries.filter(entry => {
            const { result } = entry
            return result && (result.outcome !== "committed" || this.contains(entry))
        })
        const over = [...done, ...lost]
        if (over.length) {
            this.entries = this.entries.filter(entry => !over.includes(entry))
            this.#replay()
        }
        if (over.length || this.shown !== this.#told) this.#owner.changed(isSoon && !over.length)
        this.#told = this.shown
        for (const entry of done) this.#owner.left(entry)
        for (const entry of lost) this.#owner.left(entry, error(entry))
    }

    /** An older server cannot tell whose actions a value contains, so nothing is shown before it has decided. */
    lackSync() {
        this.isPlain = true
        this.#replay()
        this.#owner.report({ kind: "old", lacks: "sync" })
        this.settle()
    }

    /**
     * Lets no entry wait for a revision of a history that the server has left.
     * @param {string | undefined} history the present one
     */
    #expire(history) {
        for (const { result } of this.entries) if (result && result.history !== history) result.isExpired = true
    }

    #replay() {
        this.shown = this.confirmed.value
        for (const entry of this.entries) this.#apply(entry)
    }

    /** @param {Entry} entry */
    #apply(entry) {
        if (!this.#predicts || this.contains(entry)) return
        this.shown = predict(this.#options.reducer, this.shown, entry, this.#owner.failed)
    }
}
