/** @typedef {import("./replay.js").Entry} Entry */
/** @typedef {import("./replay.js").Event} Event */

const most = 1000 // entries of other tabs that are not stored yet

/** The messages of the tabs of a browser. The leader passes on events and results, and each tab its entries. */
export class Sharing {
    #core
    #ledger
    #tab
    /** @type {Map<string, Entry>} entries of other tabs that are not stored yet, by key */
    #unnumbered = new Map()

    /** @param {import("./core.js").Core} core @param {import("./ledger.js").Ledger} ledger @param {string} tab */
    constructor(core, ledger, tab) {
        this.#core = core
        this.#ledger = ledger
        this.#tab = tab
    }

    /** Asks the leader for all that this tab has missed. */
    hello() {
        this.#core.post({ type: "hello", tab: this.#tab })
    }

    /** @param {any} message */
    receive(message) {
        const { replay } = this.#ledger
        switch (message.type) {
            case "hello":
                if (this.#core.isLeader) this.#core.post(this.#snapshot(message.tab))
                break
            case "snapshot":
                if (message.tab === this.#tab && !this.#core.isLeader) this.#restore(message)
                break
            case "lead":
                for (const entry of replay.entries) {
                    if (this.#ledger.own.has(entry.key) && !entry.result) this.#core.announce(entry)
                }
                if (message.id !== replay.confirmed.id) this.hello()
                break
            case "events":
                if (!this.#core.isLeader) this.#follow(message)
                break
            case "results":
                this.#ledger.decide(message.results, message.history)
                break
            case "mark":
                replay.confirmed = { ...replay.confirmed, mark: message.mark }
                break
            case "client":
                this.#ledger.rename(message.client, message.dropped)
                break
            case "connection":
                if (!this.#core.isLeader) this.#core.stream.adopt(message.state)
                break
            case "token":
                if (this.#core.isLeader) this.#core.setToken(message.token)
                break
            case "signOut":
                this.#core.end("closed")
                break
            default:
                this.#receiveEntry(message)
        }
    }

    /** @param {any} message */
    #receiveEntry({ type, key, number, entry: foreign }) {
        const entry = this.#ledger.replay.entries.find(known => known.key === (foreign ?? { key }).key)
        if (type === "number") {
            this.#core.number(entry ?? this.#unnumbered.get(key), number)
            this.#unnumbered.delete(key)
        } else if (type === "drop") this.#unnumbered.delete(key)
        else if (type === "entry" && !entry && foreign.number && this.#core.isLeader) this.#core.recall(foreign)
        else if (type === "entry" && !entry && !foreign.number) {
            this.#unnumbered.set(foreign.key, foreign)
            // A tab that was closed in the same moment has stored nothing, and will never number its entry.
            const [oldest] = this.#unnumbered.keys()
            if (this.#unnumbered.size > most) this.#unnumbered.delete(oldest)
        }
    }

    /** @param {{events: Event[], base?: string, room: number}} message */
    #follow({ events, base, room }) {
        this.#core.outbox.room = room
        const isWhole = events.some(({ type }) => type === "state")
        if (!isWhole && base !== this.#ledger.replay.confirmed.id) return this.hello()
        try {
            this.#ledger.apply(events)
        } catch {
            this.hello() // the leader knows a whole state
        }
    }

    /** @param {string} tab @returns {any} what a new tab needs */
    #snapshot(tab) {
        const { outbox, stream } = this.#core
        const { replay } = this.#ledger
        const { client, last, room } = outbox
        const { confirmed } = replay
        const { recent, history } = this.#ledger
        const entries = replay.entries.filter(({ number }) => number)
        const { state } = stream.connection
        return { type: "snapshot", tab, client, last, room, entries, confirmed, state, recent, history }
    }

    /** @param {any} snapshot */
    #restore({ client, last, room, entries, confirmed, state, recent, history }) {
        const { outbox } = this.#core
        const { replay } = this.#ledger
        Object.assign(outbox, { client, last, room })
        const known = new Map(replay.entries.map(entry => [entry.key, entry]))
        for (const entry of entries) {
            const own = known.get(entry.key)
            if (own) Object.assign(own, { number: entry.number, result: entry.result })
            else replay.add(entry)
            known.delete(entry.key)
        }
        // A leader that was frozen, or that has no value yet, may know less than this tab.
        if (confirmed.value !== undefined && !replay.isOlder(confirmed)) replay.confirm(confirmed)
        else replay.confirmed = { ...replay.confirmed, mark: confirmed.mark ?? replay.confirmed.mark }
        replay.sort()
        this.#ledger.decide(recent, history)
        // The leader has forgotten the outcome of an entry that it does not know.
        this.#ledger.forget(({ key, number, result }) => known.has(key) && number && number <= last && !result)
        this.#core.stream.adopt(state)
    }
}
