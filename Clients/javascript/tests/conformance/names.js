// The names that the kit gives to entries. The store knows them by their keys, and shows their actions only.
import { appendFileSync, existsSync, readFileSync } from "node:fs"

export class Names {
    #names = new Map() // key → name
    #keys = new Map() // actions as text → keys in the order of the sends
    #path
    #disk

    /** Reads the names of the entries that were sent before a kill. */
    load(storage, disk) {
        if (this.#path) return
        this.#path = storage + ".names"
        this.#disk = disk
        if (!existsSync(this.#path)) return
        for (const line of readFileSync(this.#path, "utf8").split("\n").slice(0, -1)) this.#add(...JSON.parse(line))
    }

    add(key, text, name) {
        this.#add(key, text, name)
        if (this.#path) appendFileSync(this.#path, JSON.stringify([key, text, name]) + "\n")
    }

    #add(key, text, name) {
        this.#names.set(key, name)
        this.#keys.set(text, [...(this.#keys.get(text) ?? []), key])
    }

    byKey(key) {
        return this.#names.get(key)
    }

    /** The key of the first entry with these actions that is not used yet, at best of one on the disk. */
    find(text, used) {
        const free = (this.#keys.get(text) ?? []).filter(key => !used.has(key))
        const rows = this.#disk ? [...this.#disk.databases.values()].flatMap(({ stores }) => [...stores.entries.rows.values()]) : []
        const stored = rows.sort((a, b) => a.number - b.number).map(({ key }) => key)
        return stored.find(key => free.includes(key)) ?? free[0]
    }

    ofTab() {
        return new TabNames(this)
    }
}

class TabNames {
    #all
    #known = new WeakMap() // actions → key
    #used = new Set()

    constructor(all) {
        this.#all = all
    }

    /** An entry that this tab sends. */
    add({ key, actions }, name) {
        this.#all.add(key, JSON.stringify(actions), name)
        this.#keep(actions, key)
    }

    has(actions) {
        return this.#known.has(actions)
    }

    /** The name of an entry that this tab shows. */
    of(actions) {
        if (!this.#known.has(actions)) this.#keep(actions, this.#all.find(JSON.stringify(actions), this.#used))
        return this.#all.byKey(this.#known.get(actions))
    }

    #keep(actions, key) {
        this.#known.set(actions, key)
        this.#used.add(key)
    }
}
