/** @typedef {import("./replay.js").Entry} Entry */
/** @typedef {import("./ledger.js").Saved & {cache?: {client: string, confirmed: import("./replay.js").Confirmed}}} Saved */
/**
 * @typedef {object} Storage the place of an outbox; `append` gives the numbers
 * @property {(leads?: boolean) => Promise<Saved>} load
 * @property {(entry: Entry) => Promise<number>} append
 * @property {(sent: number, done: number[]) => Promise<boolean>} advance
 * @property {(client: string, dropped: number[]) => Promise<boolean>} renew
 * @property {(cache: any) => Promise<void>} save
 * @property {() => Promise<void>} clear
 */

/**
 * The storage of an outbox that nothing keeps: its entries live where they are replayed.
 * @implements {Storage}
 */
export class MemoryStorage {
    #last = 0
    #client

    /** @param {string} client */
    constructor(client) {
        this.#client = client
    }

    async load() {
        return { client: this.#client, last: this.#last, sent: 0, entries: [] }
    }

    async append() {
        return ++this.#last
    }

    async advance() {
        return true
    }

    /** @param {string} client */
    async renew(client) {
        this.#client = client
        return true
    }

    async save() {}

    async clear() {}
}
