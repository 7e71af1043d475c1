/** @typedef {{op: string, path: string, from?: string, value?: any}} Operation */

/** @param {string} reason @returns {never} */
const fail = reason => {
    throw new Error("patch: " + reason)
}

/** @param {any} value */
const isContainer = value => typeof value === "object" && value !== null

/** @param {any} a @param {any} b @returns {boolean} whether two values are equal as JSON */
export function equal(a, b) {
    if (a === b) return true
    if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) return false
    const keys = Object.keys(a)
    return keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && equal(a[key], b[key]))
}

/** @param {string} pointer RFC 6901 */
function tokens(pointer) {
    if (pointer === "") return []
    if (typeof pointer !== "string" || pointer[0] !== "/" || /~(?![01])/.test(pointer)) fail("malformed pointer")
    return pointer.slice(1).split("/").map(token => token.replace(/~1/g, "/").replace(/~0/g, "~"))
}

/** @param {string} key @param {number} end */
function index(key, end) {
    if (!/^(0|[1-9]\d*)$/.test(key) || +key >= end) fail("no such index")
    return +key
}

/** @param {any} container @param {string} key */
function child(container, key) {
    if (Array.isArray(container)) return container[index(key, container.length)]
    if (!isContainer(container) || !Object.hasOwn(container, key)) fail("no such member")
    return container[key]
}

/**
 * Applies JSON Patches (RFC 6902) to a value that stays as it is. Containers on the way to a change are copied once for
 * all patches of one patcher, and all others keep their identity. After an error the value is of no use.
 */
export class Patcher {
    /** @param {any} value */
    constructor(value) {
        this.value = value
        /** @type {Set<any>} containers that this patcher has made, and may therefore change */
        this.own = new Set()
    }

    /** @param {Operation[]} patch */
    apply(patch) {
        for (const operation of patch) this.#run(operation)
    }

    /** @param {Operation} operation */
    #run({ op, path, from = "", value }) {
        if (op === "add" || op === "replace") return this.#edit(op, path, value)
        if (op === "remove") return this.#edit(op, path)
        if (op === "test") return equal(this.#get(path), value) || fail("test failed")
        if (op !== "move" && op !== "copy") fail("unknown operation " + op)
        const moved = this.#get(from)
        if (op === "move") {
            if (path === from) return
            if (path.startsWith(from + "/")) fail("moved into itself")
            this.#edit("remove", from)
        } else this.own.clear() // the value stands in two places now, and must not change in both
        this.#edit("add", path, moved)
    }

    /** @param {string} pointer */
    #get(pointer) {
        return tokens(pointer).reduce(child, this.value)
    }

    /** @param {any} container */
    #copy(container) {
        if (this.own.has(container)) return container
        if (!isContainer(container)) fail("no container")
        const copy = Array.isArray(container) ? [...container] : { ...container }
        this.own.add(copy)
        return copy
    }

    /** @param {string} op @param {string} path @param {any} [value] */
    #edit(op, path, value) {
        const keys = tokens(path)
        const last = keys.pop()
        if (last === undefined) {
            this.value = value
            return
        }
        let parent = (this.value = this.#copy(this.value))
        for (const key of keys) {
            const copy = this.#copy(child(parent, key))
            set(parent, key, copy)
            parent = copy
        }
        if (Array.isArray(parent)) {
            const end = parent.length
            if (op === "add") parent.splice(last === "-" ? end : index(last, end + 1), 0, value)
            else parent.splice(index(last, end), 1, ...(op === "remove" ? [] : [value]))
        } else {
            if (op !== "add") child(parent, last)
            if (op === "remove") delete parent[last]
            else set(parent, last, value)
        }
    }
}

/** @param {any} container @param {string} key @param {any} value */
function set(container, key, value) {
    // An assignment to this name would change the prototype.
    if (key === "__proto__") {
        Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true })
    } else container[key] = value
}
