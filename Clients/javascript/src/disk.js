/** @typedef {import("./memory.js").Storage} Storage */
/** @typedef {import("./memory.js").Saved} Saved */
/** @typedef {import("./replay.js").Entry} Entry */
/** @typedef {{client: string, last: number, sent: number, leader?: string}} Head */

const entries = "entries"
const meta = "meta"

/** @param {IDBFactory} factory @param {string} name @param {() => string} newClient @returns {Promise<Storage>} */
export const openDisk = (factory, name, newClient) =>
    new Promise((resolve, reject) => {
        const request = factory.open(name, 1)
        request.onupgradeneeded = () => {
            request.result.createObjectStore(entries, { keyPath: "number" })
            request.result.createObjectStore(meta)
        }
        request.onsuccess = () => {
            // Another tab that deletes the database must not wait for this one.
            request.result.onversionchange = () => request.result.close()
            resolve(createDisk(request.result, newClient))
        }
        request.onerror = request.onblocked = () => reject(request.error)
    })

/**
 * An outbox and the cache of a state in IndexedDB: one row for each entry, so that an append costs as much with many
 * entries as with few. Each method is one transaction, because other tabs use the same rows.
 * @param {IDBDatabase} database @param {() => string} newClient
 * @returns {Storage}
 */
function createDisk(database, newClient) {
    // A name of the tab, so that one that was frozen does not go on as the leader that it no longer is.
    const tab = newClient()
    /** @type {Map<IDBTransaction, () => void>} transactions, each with what begins it again */
    const running = new Map()
    /** @type {(() => void)[] | undefined} what a frozen page has not done */
    let waiting

    /**
     * @param {boolean} [leads] whether this tab leads from now on
     * @returns {Promise<Saved>}
     */
    function load(leads) {
        return run((rows, others, give) => {
            const all = rows.getAll()
            const cache = others.get("cache")
            edit(others, head => {
                // A row that was written by another version may lack its members.
                const whole = all.result.filter(row => row.key && (row.isSecret || Array.isArray(row.actions)))
                if (leads) head.leader = tab
                give({ ...head, entries: whole, cache: cache.result })
            })
        })
    }

    /** @param {Entry} entry @returns {Promise<number>} */
    function append({ key, actions, ifMatch, isSecret, isBlind, size }) {
        return run((rows, others, give) => edit(others, head => {
            const number = ++head.last
            rows.add(isSecret ? { key, number, isSecret } : { key, number, actions, ifMatch, isBlind, size })
            give(number)
        }))
    }

    /**
     * @param {number} sent @param {number[]} done @param {string} client @param {number[]} [dropped]
     * @returns {Promise<boolean>} whether this tab is the leader
     */
    function advance(sent, done, client, dropped = []) {
        return run((rows, others, give) => {
            const remove = (/** @type {number[]} */ numbers) => numbers.forEach(number => rows.delete(number))
            remove(done)
            edit(others, head => {
                if (head.leader !== tab) return
                remove(dropped)
                Object.assign(head, { client, sent })
                give(true)
            })
        })
    }

    /** @param {any} cache @returns {Promise<void>} */
    function save(cache) {
        return run((_, others) => void others.put(cache, "cache"))
    }

    /** @returns {Promise<void>} */
    function clear() {
        return run((rows, others) => {
            rows.clear()
            others.clear()
        })
    }

    /** @param {IDBObjectStore} others @param {(head: Head) => void} change */
    function edit(others, change) {
        const request = others.get("head")
        request.onsuccess = () => {
            const head = request.result ?? { client: newClient(), last: 0, sent: 0 }
            change(head)
            others.put(head, "head")
        }
    }

    /**
     * Resolves when the transaction is on disk.
     * @param {(rows: IDBObjectStore, others: IDBObjectStore, give: (result: any) => void) => void} work
     * @returns {Promise<any>}
     */
    function run(work) {
        return new Promise((resolve, reject) => {
            const again = () => resolve(run(work))
            if (waiting) return waiting.push(again)
            const transaction = database.transaction([entries, meta], "readwrite", { durability: "strict" })
            /** @type {any} */
            let result
            running.set(transaction, again)
            transaction.oncomplete = () => {
                running.delete(transaction)
                resolve(result)
            }
            transaction.onabort = () => {
                running.delete(transaction)
                if (transaction.error) reject(transaction.error) // none means that it waits
            }
            work(transaction.objectStore(entries), transaction.objectStore(meta), value => (result = value))
        })
    }

    /** No event of a transaction comes in a frozen page, so an open one would hold up other tabs. It is begun again afterwards. */
    function pause() {
        waiting ??= []
        for (const [transaction, again] of running) {
            try {
                transaction.abort()
                waiting.push(again)
            } catch {
                // It has ended, and its event is on the way.
            }
        }
    }

    function resume() {
        const all = waiting ?? []
        waiting = undefined
        for (const begin of all) begin()
    }

    return { load, append, advance, save, clear, pause, resume }
}
