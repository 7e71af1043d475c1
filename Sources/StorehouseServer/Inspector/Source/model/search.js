import { below, isRaw, isTree, keysIn, text } from "./values.js"

const slice = 4096 // of work: about a millisecond

/** @param {any} value a leaf */
const leafText = value => (typeof value === "string" ? value : isRaw(value) ? value.rawJSON : text(value))

/**
 * Finds keys and values that contain a text, whatever its case, in the order of the state. It works in slices, so that the
 * caller can let others work between them.
 * @param {any} state @param {string} wanted @param {number} [most] of the results
 * @returns {Generator<string[], void>} the pointers that a slice has found
 */
export function* search(state, wanted, most = 1000) {
    const lower = wanted.toLowerCase()
    if (!lower) return
    /** @type {string[]} */
    let found = []
    let work = 0
    let left = most
    const matches = (/** @type {string} */ text) => {
        work += 1 + (text.length >> 6)
        return text.toLowerCase().includes(lower)
    }
    if (!isTree(state)) return void (matches(leafText(state)) && (yield [""]))
    const stack = [{ tree: state, pointer: "", keys: keysIn(state), next: 0 }]
    for (let top = stack.at(-1); top && left > 0; top = stack.at(-1)) {
        if (work >= slice) {
            yield found
            found = []
            work = 0
        }
        if (top.next === top.keys.length) {
            stack.pop()
            continue
        }
        const key = top.keys[top.next++]
        const value = top.tree[key]
        const pointer = below(top.pointer, key)
        const isFound = (!Array.isArray(top.tree) && matches(key)) || (!isTree(value) && matches(leafText(value)))
        work++
        if (isFound) found.push(pointer), left--
        if (isTree(value)) stack.push({ tree: value, pointer, keys: keysIn(value), next: 0 })
    }
    yield found
}
