import { createPatcher, equal } from "../../../../../Clients/javascript/src/patch.js"
import { below, find, isTree, keysIn, lastKey, parentOf, text } from "./values.js"

/** @typedef {import("../../../../../Clients/javascript/src/patch.js").Operation} Operation */
/**
 * A primitive operation and the value that it found.
 * @typedef {{op: "add" | "remove" | "replace", path: string, value: any, before: any}} Step
 */

/** @param {any} state @param {Operation[]} patch @returns {any} a state that shares the untouched parts */
export const apply = (state, patch) => createPatcher(state)(patch)

/** @param {any} state @param {Operation} operation @returns {Step[]} */
function stepsOf(state, { op, path, from = "", value }) {
    if (op === "test") return []
    if (op === "remove") return [{ op, path, value: undefined, before: find(state, path) }]
    if (op === "replace") return [{ op, path, value, before: find(state, path) }]
    if (op === "copy") return stepsOf(state, { op: "add", path, value: find(state, from) })
    if (op === "move") {
        if (path === from) return []
        const removal = { op: "remove", path: from }
        const addition = { op: "add", path, value: find(state, from) }
        return [...stepsOf(state, removal), ...stepsOf(apply(state, [removal]), addition)]
    }
    const parent = path ? find(state, parentOf(path)) : undefined
    if (!Array.isArray(parent)) {
        const before = find(state, path)
        return [{ op: before === undefined ? "add" : "replace", path, value, before }]
    }
    const place = lastKey(path) === "-" ? below(parentOf(path), parent.length) : path
    return [{ op: "add", path: place, value, before: undefined }]
}

/**
 * Whether no operation can see what another one does, so that all can be read from one state.
 * @param {any} state @param {Operation[]} patch
 */
function isIndependent(state, patch) {
    /** @type {Map<string, number>} containers on the way, and how many operations pass them */
    const passed = new Map()
    for (const { op, path } of patch) {
        if (op !== "add" && op !== "remove" && op !== "replace") return false
        for (let at = path; at;) passed.set((at = parentOf(at)), (passed.get(at) ?? 0) + 1)
    }
    const paths = new Set(patch.map(({ path }) => path))
    return paths.size === patch.length && patch.every(({ op, path }) => {
        if (passed.has(path)) return false
        const parent = parentOf(path)
        return op === "replace" || passed.get(parent) === 1 || !Array.isArray(find(state, parent))
    })
}

/**
 * The operations of a patch as primitive ones, each with the value that it finds.
 * @param {any} before @param {Operation[]} patch @returns {Step[]}
 */
export function steps(before, patch) {
    if (isIndependent(before, patch)) return patch.flatMap(operation => stepsOf(before, operation))
    let state = before
    return patch.flatMap(operation => {
        const found = stepsOf(state, operation)
        state = apply(state, [operation])
        return found
    })
}

/** @param {any} before @param {Operation[]} patch @returns {Operation[]} the patch that leads back */
export function inverse(before, patch) {
    const undo = steps(before, patch).map(({ op, path, before }) => {
        if (op === "add") return { op: "remove", path }
        return { op: op === "remove" ? "add" : "replace", path, value: before }
    })
    return undo.reverse()
}

/**
 * The patch that leads from one value to another. Parts with one identity are not looked into.
 * @param {any} before @param {any} after @returns {Step[]}
 */
export const between = (before, after) => [...differences(before, after, "")]

/** @param {any} before @param {any} after @param {string} path @returns {Generator<Step>} */
export function* differences(before, after, path) {
    if (before === after) return
    if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) {
        if (text(before) !== text(after)) yield { op: "replace", path, value: after, before }
    } else if (Array.isArray(before)) yield* elements(before, after, path)
    else yield* members(before, after, path)
}

/** @param {any} before @param {any} after @param {string} path @returns {Generator<Step>} */
function* members(before, after, path) {
    const [keys, later] = [keysIn(before), keysIn(after)]
    let common = 0
    for (let i = 0; i < later.length; i++) {
        const key = later[i]
        if (key !== keys[i] && !Object.hasOwn(before, key)) {
            yield { op: "add", path: below(path, key), value: after[key], before: undefined }
            continue
        }
        common++
        if (before[key] !== after[key]) yield* differences(before[key], after[key], below(path, key))
    }
    if (common === keys.length) return
    for (const key of keys)
        if (!Object.hasOwn(after, key)) yield { op: "remove", path: below(path, key), value: undefined, before: before[key] }
}

/**
 * Elements before and behind all that differs are left out.
 * @param {any[]} before @param {any[]} after @param {string} path @returns {Generator<Step>}
 */
function* elements(before, after, path) {
    let start = 0
    const shortest = Math.min(before.length, after.length)
    while (start < shortest && equal(before[start], after[start])) start++
    let end = 0
    while (end < shortest - start && equal(before[before.length - 1 - end], after[after.length - 1 - end])) end++
    const [last, until] = [before.length - end, after.length - end]
    for (let i = start; i < Math.min(last, until); i++) yield* differences(before[i], after[i], below(path, i))
    for (let i = last - 1; i >= until; i--) yield { op: "remove", path: below(path, i), value: undefined, before: before[i] }
    for (let i = last; i < until; i++) yield { op: "add", path: below(path, i), value: after[i], before: undefined }
}
