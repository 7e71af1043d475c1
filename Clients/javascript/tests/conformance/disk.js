// An IndexedDB in a file: one line for each transaction, so that it survives a kill. A torn line never happened.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs"
import { join } from "node:path"
import { FakeIndexedDB } from "../support/indexeddb.js"

const writers = ["put", "add", "delete", "clear"]

class Disk extends FakeIndexedDB {
    #path

    constructor(folder) {
        super()
        mkdirSync(folder, { recursive: true })
        this.#path = join(folder, "rows")
        if (!existsSync(this.#path)) return
        const text = readFileSync(this.#path, "utf8")
        const whole = text.slice(0, text.lastIndexOf("\n") + 1)
        truncateSync(this.#path, Buffer.byteLength(whole))
        for (const line of whole.split("\n").slice(0, -1)) this.#run(JSON.parse(line))
    }

    /** Does again what a transaction has done. */
    #run({ name, writes }) {
        if (!this.databases.has(name)) this.databases.set(name, { stores: stores(), queue: Promise.resolve() })
        const { stores: all } = this.databases.get(name)
        for (const [store, write, value, key] of writes) {
            const { rows, keyPath } = all[store]
            if (write === "clear") rows.clear()
            else if (write === "delete") rows.delete(value)
            else rows.set(keyPath ? value[keyPath] : key, value)
        }
    }

    open(name) {
        const request = super.open(name)
        const write = writes => this.#write({ name, writes })
        let database
        Object.defineProperty(request, "result", {
            get: () => database,
            set: fake => (database = recorded(fake, write)),
        })
        return request
    }

    #write(transaction) {
        const file = openSync(this.#path, "a")
        writeSync(file, JSON.stringify(transaction) + "\n")
        fsyncSync(file)
        closeSync(file)
    }
}

const stores = () => ({ entries: { rows: new Map(), keyPath: "number" }, meta: { rows: new Map() } })

/** A database that tells of the writes of each transaction before it tells that they are done. */
function recorded(database, tell) {
    const begin = database.transaction.bind(database)
    database.transaction = (names, ...options) => {
        const transaction = begin(names, ...options)
        const writes = []
        for (const name of names) {
            const store = transaction.stores[name]
            for (const write of writers) {
                const run = store[write]
                store[write] = (...values) => (writes.push([name, write, ...values]), run(...values))
            }
        }
        let done
        Object.defineProperty(transaction, "oncomplete", {
            get: () => () => {
                if (writes.length) tell(writes)
                done?.()
            },
            set: value => (done = value),
        })
        return transaction
    }
    return database
}

const disks = new Map()

/** The disk in a folder, which all tabs share. */
export const disk = folder => disks.get(folder) ?? (disks.set(folder, new Disk(folder)), disks.get(folder))

/** Whether all disks are full. */
export function fill(isFull) {
    for (const one of disks.values()) one.fault = isFull ? "write" : undefined
}

/** Another process begins, which knows of no disk yet. */
export const forgetDisks = () => disks.clear()
