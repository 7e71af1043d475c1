import { differences, steps } from "./patches.js"

/** @typedef {import("./patches.js").Operation} Operation */
/** @typedef {{sign: "+" | "-" | "~", pointer: string, before: any, after: any}} Change */

const signs = /** @type {const} */ ({ add: "+", remove: "-", replace: "~" })

/** @param {import("./patches.js").Step} step @returns {Change} */
const change = ({ op, path, before, value }) => ({ sign: signs[op], pointer: path, before, after: value })

/**
 * The changes that a patch makes.
 * @param {any} before the state before it @param {Operation[]} patch @returns {Change[]}
 */
export const ofPatch = (before, patch) => steps(before, patch).map(change)

/**
 * The changes between two states.
 * @param {any} before @param {any} after @param {number} [most] of the changes
 * @returns {{changes: Change[], isCut: boolean}}
 */
export function between(before, after, most = Infinity) {
    /** @type {Change[]} */
    const changes = []
    for (const step of differences(before, after, "")) {
        if (changes.length >= most) return { changes, isCut: true }
        changes.push(change(step))
    }
    return { changes, isCut: false }
}

/** @param {Operation[]} patch @returns {string[]} all that it touches; of a new last element the pointer ends in `-` */
export const pointersOf = patch =>
    patch.flatMap(({ op, path, from }) => (op === "test" ? [] : op === "move" && from !== undefined ? [from, path] : [path]))

export { below, find, keysOf, lastKey, parentOf } from "./values.js"
