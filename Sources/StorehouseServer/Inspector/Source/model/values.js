// JSON values and pointers (RFC 6901).

/** @type {any} */
const json = JSON // `rawJSON` is newer than the library of the type checker

/** @param {string} _ @param {any} value @param {any} context */
const exact = (_, value, context) =>
    typeof value === "number" && json.rawJSON && context.source !== String(value) ? json.rawJSON(context.source) : value

/**
 * Reads JSON. A number that a double cannot represent keeps its digits, where the browser can do that.
 * @param {string} source @returns {any}
 */
export const parse = source => JSON.parse(source, /** @type {any} */ (exact))

/** @param {any} value @param {number} [indent] @returns {string} */
export const text = (value, indent) => (value === undefined ? "nothing" : JSON.stringify(value, null, indent))

/** @param {any} value whether it has members */
export const isTree = value => typeof value === "object" && value !== null && !json.isRawJSON?.(value)

/** @param {any} value @returns {boolean} whether it is a number whose digits are kept */
export const isRaw = value => json.isRawJSON?.(value) ?? false

/** @param {string} digits an integer @returns {any} */
export function integer(digits) {
    const value = Number(digits)
    return Number.isSafeInteger(value) || !json.rawJSON ? value : json.rawJSON(digits)
}

/** @param {any} tree @param {string} key @returns {any} undefined if there is no such member */
export function member(tree, key) {
    if (!isTree(tree) || !Object.hasOwn(tree, key) || (key === "length" && Array.isArray(tree))) return undefined
    return tree[key]
}

/** @param {string} pointer @param {string | number} key */
export const below = (pointer, key) =>
    pointer + "/" + (typeof key === "number" ? key : key.replaceAll("~", "~0").replaceAll("/", "~1"))

/** @param {string} pointer @returns {string[]} */
export const keysOf = pointer =>
    pointer.split("/").slice(1).map(key => key.replaceAll("~1", "/").replaceAll("~0", "~"))

/** @param {string} pointer @returns {string} that of the container */
export const parentOf = pointer => pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")))

/** @param {string} pointer @returns {string} */
export const lastKey = pointer => keysOf(pointer).at(-1) ?? ""

/** @param {any} value @param {string} pointer @returns {any} undefined if it points to nothing */
export const find = (value, pointer) => keysOf(pointer).reduce(member, value)

/** @type {WeakMap<object, string[]>} */
const keyLists = new WeakMap()

/** @param {any} tree an object that does not change @returns {string[]} its keys, found once */
export function keysIn(tree) {
    let keys = keyLists.get(tree)
    if (!keys) keyLists.set(tree, (keys = Object.keys(tree)))
    return keys
}

/** @param {any} tree @returns {number} of its members */
export const countOf = tree => (Array.isArray(tree) ? tree.length : keysIn(tree).length)
