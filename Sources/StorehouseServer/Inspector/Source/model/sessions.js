/** @typedef {{id: string, store: string, at: number, title?: string}} Recent */
/** @typedef {Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">} Storage */

const [listName, offName] = ["storehouse.sessions", "storehouse.sessions.off"]
const most = 20

/** The sessions that were opened in this browser, the last one first. It may forget: storage can be full, or forbidden. */
export class RecentSessions {
    #storage

    /** @param {Storage | undefined} storage such as `localStorage` */
    constructor(storage) {
        this.#storage = storage
    }

    /** Whether sessions are remembered. */
    get isOn() {
        return Boolean(this.#storage) && this.#read(offName) === null
    }

    /** Without it all are forgotten. */
    set isOn(isOn) {
        if (isOn) this.#write(offName, null)
        else {
            this.#write(listName, null)
            this.#write(offName, "1")
        }
    }

    /** @returns {Recent[]} */
    list() {
        try {
            const found = JSON.parse(this.#read(listName) ?? "[]")
            return Array.isArray(found) ? found.filter(isRecent).slice(0, most) : []
        } catch {
            return []
        }
    }

    /** @param {Recent} recent */
    add(recent) {
        if (!this.isOn) return
        const others = this.list().filter(({ id }) => id !== recent.id)
        this.#write(listName, JSON.stringify([recent, ...others].slice(0, most)))
    }

    /** @param {string} id */
    remove(id) {
        this.#write(listName, JSON.stringify(this.list().filter(other => other.id !== id)))
    }

    /** @param {string} name */
    #read(name) {
        try {
            return this.#storage?.getItem(name) ?? null
        } catch {
            return null
        }
    }

    /** @param {string} name @param {string | null} value */
    #write(name, value) {
        try {
            if (value === null) this.#storage?.removeItem(name)
            else this.#storage?.setItem(name, value)
        } catch {}
    }
}

/** @param {any} value @returns {value is Recent} */
const isRecent = value =>
    /^[\w-]+$/.test(value?.id ?? "") && typeof value.store === "string" && typeof value.at === "number"

/** @typedef {{store?: string, owner?: string, mark?: string}} Wanted */
/** @typedef {(page: Wanted & {after?: string, limit: number}) => Promise<{sessions: any[], next: string | null}>} ReadPage */

/** The operator's list of all sessions, in pages. */
export class SessionList {
    #readPage
    #wanted
    /** @type {string | undefined} */
    #after
    /** @type {Promise<boolean> | undefined} */
    #reading
    /** @type {any[]} session documents */
    sessions = []
    isWhole = false

    /** @param {ReadPage} readPage `GET /admin/sessions` @param {Wanted} [wanted] */
    constructor(readPage, wanted = {}) {
        this.#readPage = readPage
        this.#wanted = wanted
    }

    /**
     * Loads the next page.
     * @returns {Promise<boolean>} false if there is none
     */
    more() {
        if (this.isWhole) return Promise.resolve(false)
        return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)))
    }

    /** @param {string} id of a session that has ended */
    remove(id) {
        this.sessions = this.sessions.filter(session => session.id !== id)
    }

    async #read() {
        const { sessions, next } = await this.#readPage({ ...this.#wanted, after: this.#after, limit: 100 })
        const known = new Set(this.sessions.map(({ id }) => id))
        this.sessions = [...this.sessions, ...sessions.filter(({ id }) => !known.has(id))]
        this.#after = next ?? undefined
        this.isWhole = next === null
        return sessions.length > 0
    }
}
