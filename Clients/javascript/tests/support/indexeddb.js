/**
 * An IndexedDB with as much as the client uses. Transactions run one after another, change all or nothing, and call back in
 * microtasks, so that a test needs no time.
 */
export class FakeIndexedDB {
    databases = new Map()
    /** A fault: "open", "slow" or "write". */
    fault = undefined
    /** Opens at last, after the fault "slow". */
    finish = () => {}

    open(name) {
        const request = {}
        const open = () => {
            if (this.fault === "open") {
                request.error = new Error("no database")
                return request.onerror?.()
            }
            const isNew = !this.databases.has(name)
            if (isNew) this.databases.set(name, { stores: {}, queue: Promise.resolve() })
            request.result = new Database(this, this.databases.get(name))
            if (isNew) request.onupgradeneeded?.()
            request.onsuccess?.()
        }
        if (this.fault === "slow") this.finish = open
        else queueMicrotask(open)
        return request
    }

    /** All rows of the only database. */
    get rows() {
        return [...([...this.databases.values()][0]?.stores.entries.rows.values() ?? [])]
    }

    get meta() {
        return [...this.databases.values()][0]?.stores.meta.rows
    }
}

class Database {
    constructor(factory, data) {
        this.factory = factory
        this.data = data
    }

    createObjectStore(name, { keyPath } = {}) {
        this.data.stores[name] = { rows: new Map(), keyPath }
    }

    close() {}

    transaction(names) {
        const { stores } = this.data
        const steps = []
        let isAborted = false
        let hasEnded = false
        const transaction = {
            objectStore: name => transaction.stores[name],
            stores: {},
            abort() {
                if (hasEnded) throw new DOMException("it has ended", "InvalidStateError")
                isAborted = true
            },
        }
        for (const name of names) transaction.stores[name] = objectStore(stores[name], steps)
        this.data.queue = this.data.queue.then(async () => {
            await undefined
            hasEnded = true
            if (isAborted) return transaction.onabort?.()
            const before = names.map(name => new Map(stores[name].rows))
            let hasWritten = false
            while (steps.length) hasWritten = steps.shift()() || hasWritten
            if (this.factory.fault === "write" && hasWritten) {
                names.forEach((name, i) => (stores[name].rows = before[i]))
                transaction.error = new DOMException("full", "QuotaExceededError")
                transaction.onabort?.()
            } else transaction.oncomplete?.()
        })
        return transaction
    }
}

function objectStore(store, steps) {
    const ask = (isWrite, answer) => {
        const request = {}
        steps.push(() => {
            request.result = answer()
            request.onsuccess?.()
            return isWrite
        })
        return request
    }
    const put = (value, key) => void store.rows.set(store.keyPath ? value[store.keyPath] : key, structuredClone(value))
    return {
        get: key => ask(false, () => structuredClone(store.rows.get(key))),
        getAll: () => ask(false, () => [...store.rows].sort(([a], [b]) => a - b).map(([, row]) => structuredClone(row))),
        put: (value, key) => ask(true, () => put(value, key)),
        add: value => ask(true, () => put(value)),
        delete: key => ask(true, () => store.rows.delete(key)),
        clear: () => ask(true, () => store.rows.clear()),
    }
}
