/** @typedef {{op: string, path: string, from?: string, value?: any}} Operation */

/** @param {any} value */
const isContainer = value => typeof value === "object" && value !== null

/** @param {any} a @param {any} b @returns {boolean} whether two values are equal as JSON */
export function equal(a, b) {
    if (a === b) return true
    if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) return false
    const keys = Object.keys(a)
    return keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && equal(a[key], b[key]))
}

/** @param {unknown} holds */
function check(holds) {
    if (!holds) throw new Error()
}

/** @param {string} pointer RFC 6901 */
function keysOf(pointer) {
    const [root, ...keys] = pointer.split("/")
    check(!root && !/~(?![01])/.test(pointer))
    return keys.map(key => key.replace(/~1/g, "/").replace(/~0/g, "~"))
}

/** @param {any} container @param {string} key */
function child(container, key) {
    check(isContainer(container) && Object.hasOwn(container, key) && !(key === "length" && Array.isArray(container)))
    return container[key]
}

/** @param {any} container @param {string} key @param {any} value */
function set(container, key, value) {
    // An assignment to this name would change the prototype.
    if (key === "__proto__") {
        Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true })
    } else container[key] = value
}

/**
 * Applies JSON Patches (RFC 6902) to a value that stays as it is. Containers on the way to a change are copied once for
 * all patches of one patcher, and all others keep their identity. After an error the value is of no use.
 * @param {any} value
 * @returns {(patch: Operation[]) => any} applies one more patch, and returns the value behind it
 */
export function createPatcher(value) {
    /** @type {Set<any>} containers that this patcher has made, and may therefore change */
    const own = new Set()

    /** @param {any} container */
    function copy(container) {
        if (own.has(container)) return container
        check(isContainer(container))
        const made = Array.isArray(container) ? [...container] : { ...container }
        own.add(made)
        return made
    }

    /** @param {string} op @param {string} path @param {any} [content] */
    function edit(op, path, content) {
        const keys = keysOf(path)
        let last = keys.pop()
        if (last === undefined) return void (value = content)
        let parent = (value = copy(value))
        for (const key of keys) {
            const next = copy(child(parent, key))
            set(parent, key, next)
            parent = next
        }
        const end = Array.isArray(parent) && op === "add" ? String(parent.length) : undefined
        if (end && last === "-") last = end
        if (op !== "add" || (end && last !== end)) child(parent, last)
        if (Array.isArray(parent)) parent.splice(+last, op === "add" ? 0 : 1, ...(op === "remove" ? [] : [content]))
        else if (op === "remove") delete parent[last]
        else set(parent, last, content)
    }

    /** @param {Operation} operation */
    function run({ op, path, from = "", value: content }) {
        const get = (/** @type {string} */ pointer) => keysOf(pointer).reduce(child, value)
        if (op === "test") return check(equal(get(path), content))
        if (op === "move" || op === "copy") {
            content = get(from)
            if (op === "copy") own.clear() // the value stands in two places now, and must not change in both
            else if (path === from) return
            else {
                check(!path.startsWith(from + "/"))
                edit("remove", from)
            }
            op = "add"
        }
        check(["add", "replace", "remove"].includes(op))
        edit(op, path, content)
    }

    return patch => {
        for (const operation of patch) {
            try {
                run(operation)
            } catch {
                throw new Error(`patch: ${operation.op} ${operation.path} does not apply`)
            }
        }
        return value
    }
}
