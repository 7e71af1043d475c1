/** @typedef {import("./replay.js").Entry} Entry */
/** @typedef {import("./ledger.js").Saved & {cache?: {client: string, confirmed: import("./replay.js").Confirmed}}} Saved */
/**
 * @typedef {object} Storage the place of an outbox; `append` gives the numbers
 * @property {(leads?: boolean) => Promise<Saved>} load
 * @property {(entry: Entry) => Promise<number>} append
 * @property {(sent: number, done: number[], client: string, dropped?: number[]) => Promise<boolean>} advance
 *     forgets entries that are decided; and if this tab leads, which it returns, those that are dropped with their client
 * @property {(cache: any) => Promise<void>} save
 * @property {() => Promise<void>} clear
 * @property {() => void} pause the page is frozen, and must not hold up other tabs
 * @property {() => void} resume
 */

/**
 * The storage of an outbox that nothing keeps: its entries live where they are replayed.
 * @param {string} client
 * @returns {Storage}
 */
export function createMemory(client) {
    let last = 0
    return {
        load: async () => ({ client, last, sent: 0, entries: [] }),
        append: async () => ++last,
        async advance(_sent, _done, next) {
            client = next
            return true
        },
        save: async () => {},
        clear: async () => {},
        pause() {},
        resume() {},
    }
}
