import { below, countOf, find, isRaw, isTree, keysIn, keysOf, lastKey, member, parentOf, text } from "./values.js"

/**
 * @typedef {object} Row
 * @property {string} pointer
 * @property {number} depth
 * @property {string} key
 * @property {any} value
 * @property {string} [summary] of what has members
 * @property {boolean} isOpen
 * @property {number} [count] of the members of what has any
 * @property {number} position among its siblings, from 1
 * @property {number} siblings how many there are, with itself
 */

const few = 50 // members of a part of the state that is open from the start

/** An open part of the state. Its members have a branch only if they are open too. */
class Branch {
    /** @type {Map<string, Branch>} */
    open = new Map()
    /** @type {string[] | undefined} of an object */
    #keys
    /** @type {Map<string, number> | undefined} */
    #places
    /** @type {[number, Branch][] | undefined} the open members by place */
    #order
    #length = 0

    /** @param {any} value */
    constructor(value) {
        this.value = value
    }

    get isArray() {
        return Array.isArray(this.value)
    }

    get count() {
        return this.isArray ? this.value.length : this.keys.length
    }

    get keys() {
        return (this.#keys ??= keysIn(this.value))
    }

    /** How many rows stand below it. */
    get length() {
        if (!this.#length) {
            this.#length = this.count
            for (const branch of this.open.values()) this.#length += branch.length
        }
        return this.#length
    }

    /** @param {number} place */
    key(place) {
        return this.isArray ? String(place) : this.keys[place]
    }

    /** @param {string} key @returns {number} */
    place(key) {
        if (this.isArray) return Number(key)
        this.#places ??= new Map(this.keys.map((key, place) => [key, place]))
        return /** @type {number} */ (this.#places.get(key))
    }

    get order() {
        const places = () => [...this.open].map(([key, branch]) => /** @type {[number, Branch]} */ ([this.place(key), branch]))
        return (this.#order ??= places().sort(([a], [b]) => a - b))
    }

    /**
     * Something below it has changed: its length, and what of its own is named.
     * @param {boolean} [areKeys]
     */
    forget(areKeys = false) {
        this.#order = undefined
        this.#length = 0
        if (areKeys) this.#keys = this.#places = undefined
    }
}

/**
 * The rows of a state of which only a part is shown. The state itself has no row, unless it is a single value. Rows are known
 * by their pointers, so that what is open stays open.
 */
export class Tree {
    /** @type {any} */
    #state
    /** @type {Branch | undefined} */
    #root
    /** @type {Map<string, boolean>} what was opened or closed */
    #choices = new Map()

    /** @returns {number} of the rows */
    get length() {
        return this.#root ? this.#root.length : this.#state === undefined ? 0 : 1
    }

    /**
     * Shows a state. It takes time for what is open on the way to a change, if the pointers tell all changes.
     * @param {any} state @param {string[]} [changed] pointers to what differs from the state before, if that is known
     */
    set(state, changed) {
        if (!isTree(state)) this.#root = undefined
        else if (!this.#root || this.#root.isArray !== Array.isArray(state)) this.#root = this.#branch(state, "")
        else this.#refresh(this.#root, state, "", changed && !changed.includes("") ? grouped(changed) : undefined)
        this.#state = state
    }

    /**
     * Opens or closes.
     * @param {string} pointer @param {boolean} [isOpen]
     */
    toggle(pointer, isOpen) {
        const parent = this.#at(parentOf(pointer))
        const key = keysOf(pointer).at(-1)
        const value = parent && key !== undefined ? member(parent.value, key) : undefined
        if (!parent || key === undefined || !isTree(value)) return
        const wanted = isOpen ?? !parent.open.has(key)
        this.#choices.set(pointer, wanted)
        if (wanted) parent.open.set(key, this.#branch(value, pointer))
        else parent.open.delete(key)
        this.#forgetTo(pointer)
    }

    /**
     * Opens all that a pointer is in.
     * @param {string} pointer @returns {number} the place of its row, -1 if it points to nothing
     */
    reveal(pointer) {
        if (find(this.#state, pointer) === undefined) return -1
        let at = ""
        for (const key of keysOf(parentOf(pointer))) {
            at = below(at, key)
            if (!this.#at(at)) this.toggle(at, true)
        }
        return this.indexOf(pointer)
    }

    /** @param {string} pointer @returns {number} the place of its row, -1 if there is none */
    indexOf(pointer) {
        if (!this.#root) return pointer === "" && this.#state !== undefined ? 0 : -1
        let [branch, index] = [/** @type {Branch | undefined} */ (this.#root), -1]
        for (const key of keysOf(pointer)) {
            if (!branch || member(branch.value, key) === undefined) return -1
            const place = branch.place(key)
            index += place + 1
            for (const [other, { length }] of branch.order) {
                if (other >= place) break
                index += length
            }
            branch = branch.open.get(key)
        }
        return index
    }

    /** @param {number} from @param {number} count @returns {Row[]} */
    rows(from, count) {
        /** @type {Row[]} */
        const rows = []
        const end = Math.min(from + count, this.length)
        const start = Math.max(0, from)
        if (this.#root) this.#collect(this.#root, "", 0, start, end, rows)
        else if (start < end) rows.push(this.#row("", "", this.#state, 0, undefined, 1, 1))
        return rows
    }

    /**
     * @param {Branch} branch @param {string} pointer @param {number} depth
     * @param {number} start of the wanted rows, counted from the first below the branch @param {number} end
     * @param {Row[]} rows
     */
    #collect(branch, pointer, depth, start, end, rows) {
        let [place, at] = [0, 0] // the next member, and its row
        const add = (/** @type {number} */ until, /** @type {Branch | undefined} */ inner) => {
            const skipped = Math.min(Math.max(0, start - at), until - place)
            for (let i = place + skipped; i < until && at + i - place < end; i++) {
                const key = branch.key(i)
                rows.push(this.#row(below(pointer, key), key, branch.value[key], depth, inner, i + 1, branch.count))
            }
            at += until - place
            place = until
        }
        for (const [open, inner] of branch.order) {
            if (at >= end) return
            add(open, undefined)
            add(open + 1, inner)
            const { length } = inner
            if (at < end && at + length > start)
                this.#collect(inner, below(pointer, branch.key(open)), depth + 1, start - at, end - at, rows)
            at += length
        }
        if (at < end) add(branch.count, undefined)
    }

    /**
     * @param {string} pointer @param {string} key @param {any} value @param {number} depth
     * @param {Branch | undefined} branch if it is open @param {number} position @param {number} siblings @returns {Row}
     */
    #row(pointer, key, value, depth, branch, position, siblings) {
        const row = { pointer, depth, key, value, isOpen: !!branch, position, siblings }
        if (!isTree(value)) return row
        const count = branch ? branch.count : countOf(value)
        return { ...row, count, summary: summary(value, count) }
    }

    /** @param {string} pointer */
    #at(pointer) {
        return keysOf(pointer).reduce((/** @type {Branch | undefined} */ branch, key) => branch?.open.get(key), this.#root)
    }

    /** @param {string} pointer */
    #forgetTo(pointer) {
        let branch = this.#root
        for (const key of keysOf(pointer)) {
            branch?.forget()
            branch = branch?.open.get(key)
        }
    }

    /**
     * A branch with what is open in it.
     * @param {any} value @param {string} pointer
     */
    #branch(value, pointer) {
        const branch = new Branch(value)
        this.#openIn(branch, pointer)
        return branch
    }

    /** @param {Branch} branch @param {string} pointer */
    #openIn(branch, pointer) {
        if (!pointer) {
            for (const key of branch.isArray ? [] : branch.keys) this.#openMember(branch, pointer, key)
            return
        }
        for (const [chosen, isOpen] of this.#choices) {
            if (!isOpen || parentOf(chosen) !== pointer) continue
            this.#openMember(branch, pointer, lastKey(chosen))
        }
    }

    /** @param {Branch} branch @param {string} pointer @param {string} key */
    #openMember(branch, pointer, key) {
        const [value, inner] = [member(branch.value, key), below(pointer, key)]
        if (!isTree(value) || branch.open.has(key)) return
        const isOpen = this.#choices.get(inner) ?? (pointer === "" && !branch.isArray && countOf(value) <= few)
        if (isOpen) branch.open.set(key, this.#branch(value, inner))
    }

    /**
     * @param {Branch} branch @param {any} value @param {string} pointer
     * @param {Map<string, string[]> | undefined} changed keys by the pointer of what they are in; undefined if that is unknown
     */
    #refresh(branch, value, pointer, changed) {
        const before = branch.value
        if (before === value) return
        branch.value = value
        const touched = changed?.get(pointer)
        const has = (/** @type {any} */ tree, /** @type {string} */ key) => Object.hasOwn(tree, key)
        // A member that was removed and added again may stand at another place.
        const isTwice = touched && new Set(touched).size < touched.length
        branch.forget(!changed || isTwice || touched?.some(key => !has(before, key) || !has(value, key)))
        for (const [key, inner] of branch.open) {
            const next = member(value, key)
            const at = below(pointer, key)
            if (!isTree(next) || Array.isArray(next) !== inner.isArray) branch.open.delete(key)
            else this.#refresh(inner, next, at, touched?.includes(key) || branch.isArray ? undefined : changed)
        }
        if (!changed) this.#openIn(branch, pointer)
        else for (const key of touched ?? []) this.#openMember(branch, pointer, key)
    }
}

/** @param {string[]} pointers @returns {Map<string, string[]>} the keys by the pointer of what they are in */
function grouped(pointers) {
    /** @type {Map<string, string[]>} */
    const groups = new Map()
    for (const pointer of pointers) {
        const parent = parentOf(pointer)
        const keys = groups.get(parent)
        const key = lastKey(pointer)
        keys ? keys.push(key) : groups.set(parent, [key])
    }
    return groups
}

const longest = 60 // characters of a summary

/** @param {any} value what has members @param {number} count of them @returns {string} its first members in short */
export function summary(value, count) {
    const isArray = Array.isArray(value)
    const [open, close] = isArray ? "[]" : "{}"
    if (count > few) return open + "…" + close
    let shown = ""
    for (const key of isArray ? value.keys() : keysIn(value)) {
        const part = (shown && ", ") + (isArray ? "" : `${key}: `) + short(value[key])
        if (shown.length + part.length > longest) return `${open}${shown}${shown && ", "}…${close}`
        shown += part
    }
    return open + shown + close
}

/** @param {any} value @returns {string} */
function short(value) {
    if (isRaw(value)) return value.rawJSON
    if (isTree(value)) return Array.isArray(value) ? (value.length ? "[…]" : "[]") : "{…}"
    return typeof value === "string" && value.length > longest ? text(value.slice(0, longest)) : text(value)
}
