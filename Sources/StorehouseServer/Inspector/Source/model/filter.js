import { keysOf, text } from "./values.js"
import { pointersOf } from "./changes.js"

/** @typedef {import("./entries.js").Entry} Entry */
/** @typedef {(entry: Entry) => boolean} Test */
/** @typedef {{matches: Test, words: string[], problem?: string}} ParsedFilter `words` are the texts to mark */

/** @type {WeakMap<Entry, string>} */
const texts = new WeakMap()

/** @param {Entry} entry */
function textOf(entry) {
    let found = texts.get(entry)
    if (found === undefined) {
        const payload = entry.payload === undefined ? "" : text(entry.payload)
        found = [entry.type, payload, entry.reason ?? ""].join("\n").toLowerCase()
        texts.set(entry, found)
    }
    return found
}

/** @param {string} pattern `*` stands for any text @returns {(text: string) => boolean} */
function glob(pattern) {
    const parts = pattern.toLowerCase().split("*").map(part => part.replace(/[\\^$.|?+()[\]{}/-]/g, "\\$&"))
    const expression = new RegExp(`^${parts.join(".*")}$`, "s")
    return text => expression.test(text.toLowerCase())
}

/** @param {string[]} wanted @param {string[]} keys whether one leads to the other; `*` is any key */
const isOnPath = (wanted, keys) => {
    const length = Math.min(wanted.length, keys.length)
    for (let i = 0; i < length; i++) if (wanted[i] !== "*" && wanted[i] !== keys[i]) return false
    return true
}

/** @type {Record<string, Test>} */
const kinds = {
    refused: entry => entry.status !== undefined,
    committed: entry => entry.status === undefined,
    caused: entry => Boolean(entry.cause),
    unchanged: entry => entry.patch?.length === 0,
}

/** @type {Record<string, (value: string) => Test | string>} a test, or what is wrong with the value */
const tokens = {
    origin: value => entry => (entry.origin ?? "client") === value.toLowerCase(),
    type: value => {
        const matches = glob(value)
        return entry => matches(entry.type)
    },
    path: value => {
        if (!value.startsWith("/")) return "begins with /, like path:/tasks/ids"
        const wanted = keysOf(value)
        return entry => pointersOf(entry.patch ?? []).some(pointer => isOnPath(wanted, keysOf(pointer)))
    },
    rev: value => {
        const [, from, dots, to] = /^(\d*)(\.\.)?(\d*)$/.exec(value) ?? []
        if (!from && !to) return "is a revision or a range, like rev:100..200"
        const [low, high] = [Number(from), dots ? (to ? Number(to) : Infinity) : Number(from)]
        return entry => entry.revision >= low && entry.revision <= high
    },
    is: value => (Object.hasOwn(kinds, value) ? kinds[value] : `is one of ${Object.keys(kinds).join(", ")}`),
    actor: value => {
        const wanted = value.toLowerCase()
        return ({ actor }) => [actor?.kind, actor?.id, actor?.name].some(name => `${name ?? ""}`.toLowerCase() === wanted)
    },
}

/**
 * A filter of the log. All its tokens must match: texts, `origin:effect`, `path:/tasks/*`, `type:tasks/*`, `rev:100..200`,
 * `is:refused`, `actor:ada`. A `-` before a token negates it, and quotes keep words together.
 * @param {string} source @returns {ParsedFilter}
 */
export function parseFilter(source) {
    /** @type {Test[]} */
    const tests = []
    /** @type {string[]} */
    const words = []
    /** @type {string | undefined} */
    let problem
    for (const [, minus, name, quoted, plain = ""] of source.matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S*))/g)) {
        const value = quoted ?? plain
        const isToken = name !== undefined && Object.hasOwn(tokens, name)
        const test = isToken ? tokens[name](value) : contains(name === undefined ? value : `${name}:${value}`)
        if (typeof test === "string") problem ??= `${name}: ${test}`
        else if (value) tests.push(minus ? entry => !test(entry) : test)
        else if (isToken) problem ??= `${name}: needs a value`
        if (value && !isToken && !minus) words.push(name === undefined ? value : `${name}:${value}`)
    }
    return { matches: entry => tests.every(test => test(entry)), words, problem }
}

/** @param {string} word @returns {Test} */
function contains(word) {
    const wanted = word.toLowerCase()
    return entry => textOf(entry).includes(wanted)
}
