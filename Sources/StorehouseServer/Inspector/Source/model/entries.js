/** @typedef {import("./patches.js").Operation} Operation */
/**
 * An entry of the action log; or an action that was refused, with a `status`, and the revision at which it came.
 * @typedef {object} Entry
 * @property {number} revision
 * @property {string} type
 * @property {any} [payload]
 * @property {string} [origin]
 * @property {number | null} [cause]
 * @property {any} [actor]
 * @property {string} at
 * @property {Operation[]} [patch]
 * @property {number} [status]
 * @property {string} [code]
 * @property {string} [reason]
 * @property {number} [index]
 */
/** @typedef {{matches: (entry: Entry) => boolean}} Filter */
/** @typedef {(page: {before?: number, limit: number}) => Promise<{actions: Entry[], next: number | null}>} ReadPage */

const pageSize = 200

/** @param {Entry} entry */
const isRefused = entry => entry.status !== undefined
/**
 * Newest first. A refused action stands above the commit that it found.
 * @param {Entry} a @param {Entry} b
 */
const order = (a, b) =>
    b.revision - a.revision || Number(isRefused(b)) - Number(isRefused(a)) || (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)

/** The action log: the newest entries from the stream, older ones in pages. */
export class Entries {
    /** @type {Map<number, Entry>} */
    #entries = new Map()
    /** @type {Entry[]} */
    #refused = []
    /** @type {Map<Filter | null, Entry[]>} the lists of the latest filters */
    #lists = new Map([[null, []]])
    /** @type {Promise<boolean> | undefined} */
    #reading
    #readPage
    /** Whether there are no older entries on the server. */
    isWhole = false
    /** The newest and the oldest revision here, 0 without entries. */
    newest = 0
    oldest = 0

    /** @param {ReadPage} readPage `GET …/actions?before=N&limit=N&changes=true` */
    constructor(readPage) {
        this.#readPage = readPage
    }

    /** How many committed actions are here. */
    get size() {
        return this.#entries.size
    }

    /** @param {number} revision @returns {Entry | undefined} */
    get(revision) {
        return this.#entries.get(revision)
    }

    /**
     * Adds an entry, or completes the one of its revision.
     * @param {Entry} entry
     */
    add(entry) {
        const known = this.#entries.get(entry.revision)
        if (known) return void (entry.patch && this.complete(entry.revision, entry.patch))
        this.#entries.set(entry.revision, entry)
        this.newest = Math.max(this.newest, entry.revision)
        this.oldest = Math.min(this.oldest || Infinity, entry.revision)
        for (const [filter, list] of this.#lists) if (!filter || filter.matches(entry)) place(list, entry)
    }

    /**
     * Gives the patch of a commit that came without one.
     * @param {number} revision @param {Operation[]} patch
     */
    complete(revision, patch) {
        const entry = this.#entries.get(revision)
        if (!entry || entry.patch) return
        const filters = [...this.#lists.keys()]
        const were = filters.map(filter => filter?.matches(entry))
        entry.patch = patch
        filters.forEach((filter, i) => {
            const list = /** @type {Entry[]} */ (this.#lists.get(filter))
            const matches = filter?.matches(entry)
            if (matches && !were[i]) place(list, entry)
            else if (were[i] && !matches) list.splice(list.indexOf(entry), 1)
        })
    }

    /**
     * The refused actions, all that are known: `GET …/actions?refused=true`.
     * @param {Entry[]} refused
     */
    setRefused(refused) {
        this.#refused = refused
        for (const filter of this.#lists.keys()) this.#lists.set(filter, this.#list(filter))
    }

    /**
     * Loads a page of older entries.
     * @returns {Promise<boolean>} false if there is none
     */
    older() {
        if (this.isWhole) return Promise.resolve(false)
        return (this.#reading ??= this.#read(this.oldest || undefined).finally(() => (this.#reading = undefined)))
    }

    /**
     * Loads what a stream has not told: all between the newest entry here and a revision, with their patches.
     * @param {number} revision @param {number} [known] the newest revision that needs nothing
     */
    async catchUp(revision, known = this.newest) {
        for (let before = revision + 1; before > known + 1;) {
            const { actions, next } = await this.#readPage({ before, limit: Math.min(pageSize, before - 1 - known) })
            for (const entry of actions) this.add(entry)
            if (next === null || !actions.length) return
            before = next
        }
    }

    /**
     * The entries that match, newest first. It is one array for each filter, which changes with the log; another array when
     * refused actions have come.
     * @param {Filter | null} [filter] @returns {Entry[]}
     */
    visible(filter = null) {
        let list = this.#lists.get(filter)
        if (list) return list
        this.#lists.set(filter, (list = this.#list(filter)))
        for (const old of this.#lists.keys()) if (old && this.#lists.size > 3) this.#lists.delete(old)
        return list
    }

    /** @param {Filter | null} filter */
    #list(filter) {
        const all = [...this.#entries.values(), ...this.#refused]
        return (filter ? all.filter(entry => filter.matches(entry)) : all).sort(order)
    }

    /** @param {number | undefined} before */
    async #read(before) {
        const page = await this.#readPage({ before, limit: pageSize }).catch(problem => {
            if (problem?.code === "revision-gone") return { actions: [], next: null }
            throw problem
        })
        for (const entry of page.actions) this.add(entry)
        if (page.next === null || !page.actions.length) this.isWhole = true
        return page.actions.length > 0
    }
}

/** @param {Entry[]} list @param {Entry} entry */
function place(list, entry) {
    if (!list.length || order(list[list.length - 1], entry) < 0) return void list.push(entry)
    if (order(entry, list[0]) < 0) return void list.unshift(entry)
    let [low, high] = [0, list.length]
    while (low < high) {
        const middle = (low + high) >> 1
        if (order(list[middle], entry) < 0) low = middle + 1
        else high = middle
    }
    list.splice(low, 0, entry)
}
