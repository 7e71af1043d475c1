import { seeded } from "../../../Clients/javascript/tests/support/clock.js"

/** Names that have a meaning in JavaScript, in a JSON Pointer, or in a shell. */
export const hostileKeys = ["__proto__", "constructor", "", "~", "/", "~1", "a/b", "m~n", "length", "0", "07", "-", "toString", " ", "é", "🦊"]

/** Random values, the same for the same seed. */
export class Random {
    constructor(seed) {
        this.next = seeded(seed)
    }

    below = count => Math.floor(this.next() * count)
    pick = list => list[this.below(list.length)]
    chance = part => this.next() < part
    key = () => this.pick(hostileKeys)

    value(depth = 3) {
        const kind = this.below(depth ? 8 : 6)
        if (kind < 6) return this.pick([null, true, false, this.below(5), -1.5, "", "text", "~/\"\\\n$`'", "🦊"])
        if (kind === 6) return Array.from({ length: this.below(4) }, () => this.value(depth - 1))
        return this.object(this.below(5), depth - 1)
    }

    object(count, depth = 2) {
        return Object.fromEntries(Array.from({ length: count }, () => [this.key(), this.value(depth)]))
    }

    /** A patch that applies to the value, and what it makes of it. */
    patch(value, count = 1 + this.below(4)) {
        const patch = []
        let after = value
        for (let i = 0; i < count; i++) {
            const operation = this.#operation(after)
            const next = applyNaively(after, [operation])
            if (next === undefined) continue
            patch.push(operation)
            after = next
        }
        return { patch, after }
    }

    #operation(value) {
        const containers = [...walk(value)].filter(({ value }) => typeof value === "object" && value)
        const { pointer, value: container } = this.pick(containers)
        const keys = Object.keys(container)
        const isArray = Array.isArray(container)
        const place = isArray ? this.pick([...keys, String(container.length), "-"]) : this.key()
        const existing = keys.length ? pointer + "/" + escape(this.pick(keys)) : undefined
        const fresh = pointer + "/" + escape(place)
        const isLarge = containers.length > 60
        const op = this.pick(isLarge ? ["remove", "replace"] : ["add", "add", "remove", "replace", "replace", "move", "copy", "test"])
        if (op === "add" || !existing) return { op: "add", path: fresh, value: this.value(2) }
        if (op === "remove") return { op, path: existing }
        if (op === "replace") return { op, path: existing, value: this.value(2) }
        if (op === "test") return { op, path: existing, value: find(value, existing) }
        return { op, from: this.pick([...walk(value)].slice(1)).pointer, path: fresh }
    }
}

const escape = key => key.replaceAll("~", "~0").replaceAll("/", "~1")
const keysOf = pointer => pointer.split("/").slice(1).map(key => key.replaceAll("~1", "/").replaceAll("~0", "~"))
const find = (value, pointer) => keysOf(pointer).reduce((tree, key) => tree[key], value)

/** All values in a value, each with its pointer, in order. */
export function* walk(value, pointer = "") {
    yield { pointer, value }
    if (typeof value !== "object" || !value) return
    for (const key of Object.keys(value)) yield* walk(value[key], pointer + "/" + escape(key))
}

/** A patch, applied to a copy without any care for speed; undefined if it cannot be applied. */
export function applyNaively(value, patch) {
    const root = { value: structured(value) }
    for (const { op, path, from, value } of patch) {
        if (op === "test") continue
        if (op === "move" && path.startsWith(from + "/")) return undefined
        const moved = op === "move" || op === "copy" ? structured(find(root.value, from)) : structured(value)
        if (op === "move") edit(root, "remove", from)
        if (!edit(root, op === "move" || op === "copy" ? "add" : op, path, moved)) return undefined
    }
    return root.value
}

const structured = value => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

function edit(root, op, path, value) {
    const keys = ["value", ...keysOf(path)]
    const last = keys.pop()
    let parent = root
    for (const key of keys) {
        if (typeof parent !== "object" || !parent || !Object.hasOwn(parent, key)) return false
        parent = parent[key]
    }
    if (typeof parent !== "object" || !parent) return false
    if (Array.isArray(parent)) {
        const place = last === "-" ? parent.length : Number(last)
        if (!(place <= parent.length) || (last !== "-" && last !== String(place))) return false
        if (op !== "add" && place === parent.length) return false
        parent.splice(place, op === "add" ? 0 : 1, ...(op === "remove" ? [] : [value]))
    } else if (op === "remove") delete parent[last]
    else Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true })
    return true
}
