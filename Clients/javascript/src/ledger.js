import { confirm, Replay } from "./replay.js"

/** @typedef {import("./replay.js").Entry} Entry */
/** @typedef {import("./replay.js").Event} Event */
/** @typedef {import("./replay.js").Result} Result */
/** @typedef {import("./core.js").Owner} Owner */

const remembered = 200
const most = 1000

/** The confirmed state and the pending entries of a tab, whether it leads or follows. */
export class Ledger {
    replay
    /** @type {Result[]} the newest results, for tabs that were frozen */
    recent = []
    /** @type {Set<string>} keys of the entries of this tab */
    own = new Set()
    /** @type {string | undefined} of the newest answer */
    history
    hasEvents = false
    /** @type {any} */
    #shown
    #outbox
    #owner
    #version

    /**
     * @param {import("./options.js").Options} options
     * @param {() => import("./outbox.js").Outbox} outbox
     * @param {Owner} owner
     */
    constructor({ reducer, version }, outbox, owner) {
        this.replay = new Replay(reducer)
        this.#version = version
        this.#outbox = outbox
        this.#owner = owner
    }

    /** @param {Event[]} events */
    apply(events) {
        const { replay } = this
        const outbox = this.#outbox()
        const before = replay.confirmed
        const next = confirm(before, events)
        replay.predicts = !outbox.isPlain && (!this.#version || !next.version || next.version === this.#version)
        replay.confirm(next)
        const known = before.history ?? this.history
        if (known && next.history !== known) {
            outbox.sender.mustRead = outbox.sender.isTold ||= !!before.mark
            this.#owner.report({ kind: "history", history: next.history })
            outbox.pump()
        }
        // A record that is gone has to be found out before anything is shown for long.
        if (outbox.sender.isTold && events.some(({ type, data }) => type === "ready" && !data.mark)) {
            outbox.sender.mustRead = true
            outbox.pump()
        }
        const { version } = next
        if (!replay.predicts && version !== before.version) this.#owner.report({ kind: "version", version })
        this.hasEvents = true
        this.settle(true)
        for (const event of events) if (!["state", "patch", "ready"].includes(event.type)) this.#owner.heard(event)
    }

    /** @param {Result[]} results @param {string} [history] of the newest answer */
    decide(results, history) {
        const outbox = this.#outbox()
        const byNumber = new Map(this.replay.entries.map(entry => [entry.number, entry]))
        for (const result of results) {
            const entry = byNumber.get(result.n)
            if (!entry || entry.result) continue
            entry.result = { ...result }
            outbox.done = [...outbox.done, result.n].slice(-most)
        }
        this.history = history ?? this.history
        if (history && history === this.replay.confirmed.history) this.replay.expire(history)
        this.recent = [...this.recent, ...results].slice(-remembered)
        this.replay.replay()
        this.settle()
    }

    /** @param {string} client @param {string[]} dropped keys of entries whose outcome nobody knows */
    rename(client, dropped) {
        const outbox = this.#outbox()
        outbox.client = client
        Object.assign(outbox.sender, { isTold: false, mustRead: false, sent: 0 })
        this.replay.confirmed = { ...this.replay.confirmed, mark: undefined, through: 0 }
        this.forget(({ key }) => dropped.includes(key))
    }

    /** @param {(entry: Entry) => boolean | number | undefined} isLost whether nobody knows the outcome of an entry */
    forget(isLost) {
        const lost = this.replay.entries.filter(isLost)
        if (lost.length) this.#owner.report({ kind: "unknown", entries: lost.map(({ actions }) => actions) })
        this.drop(lost)
    }

    /** @param {Entry[]} lost @param {Error} [error] */
    drop(lost, error) {
        if (!lost.length) return
        this.replay.entries = this.replay.entries.filter(entry => !lost.includes(entry))
        this.replay.replay()
        this.#owner.changed()
        for (const entry of lost) this.#owner.lost(entry, error)
    }

    /**
     * Tells the owner of all that has changed.
     * @param {boolean} [isSoon]
     */
    settle(isSoon) {
        const done = this.replay.takeDone()
        const { shown } = this.replay
        if (done.length || shown !== this.#shown) this.#owner.changed(isSoon && !done.length)
        this.#shown = shown
        for (const { key } of done) this.own.delete(key)
        for (const entry of done) this.#owner.done(entry, /** @type {Result} */ (entry.result))
    }

    /** An older server cannot tell whose actions a value contains, so nothing is shown before it has decided. */
    lackSync() {
        this.#outbox().isPlain = true
        this.replay.predicts = false
        this.replay.replay()
        this.#owner.report({ kind: "old", lacks: "sync" })
        this.settle()
    }
}
