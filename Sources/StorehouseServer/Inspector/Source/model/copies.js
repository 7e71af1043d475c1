import { isTree, member, text } from "./values.js"
import { identifier, indented, literal, raw, upper } from "./swift.js"
import { formatAddress } from "./address.js"
import { between } from "./changes.js"

/** @typedef {import("./entries.js").Entry} Entry */
/**
 * Whence an entry is.
 * @typedef {object} Where
 * @property {string} base the address of the server, with a path if it has one
 * @property {string} [session]
 * @property {string} [share]
 * @property {boolean} [needsToken] whether the server wants one
 * @property {any} [action] the description of the action, as `GET /stores` gives it
 */

const [placeholder, redacted] = ["THE-SECRET", "***"]
const note = `Write the secret in place of ${placeholder}: the log does not have it.`

/** @param {string} word @returns {string} one word for a POSIX shell */
export const quoted = word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** @param {Where} where */
function resource({ base, session, share }) {
    const root = base.replace(/\/+$/, "")
    return share ? `${root}/shared/${encodeURIComponent(share)}` : `${root}/sessions/${session}`
}

/**
 * Puts a placeholder where the log has redacted a secret.
 * @param {{payload?: any}} entry @param {any} [action] its description
 */
function clear({ payload }, action) {
    if (!isTree(payload)) return { payload, hasSecret: false }
    const properties = action?.payload?.properties
    const isSecret = (/** @type {string} */ key) =>
        payload[key] === redacted && (!properties || member(properties, key)?.writeOnly === true)
    const keys = Object.keys(payload)
    const members = keys.map(key => [key, isSecret(key) ? placeholder : payload[key]])
    return { payload: Object.fromEntries(members), hasSecret: keys.some(isSecret) }
}

/** @param {Entry} entry @param {any} payload */
const bodyOf = ({ type }, payload) => (isTree(payload) && Object.keys(payload).length ? { type, payload } : { type })

/**
 * The action as a request.
 * @param {Entry} entry @param {Where} where @returns {string}
 */
export function curl(entry, where) {
    const { payload, hasSecret } = clear(entry, where.action)
    const parts = [`curl -s ${quoted(resource(where) + "/actions")}`]
    if (where.needsToken) parts.push(`-H "Authorization: Bearer $TOKEN"`)
    parts.push("-H 'Content-Type: application/json'", `-d '${text(bodyOf(entry, payload)).replaceAll("'", "'\\''")}'`)
    return (hasSecret ? `# ${note}\n` : "") + parts.join(" \\\n    ")
}

/**
 * Whether a member of this name can be written as `key:=JSON`: the command splits characters, and some signs join the next one.
 * @param {string} key
 */
const isWritable = key => /^[^=\0]*[ -<>-~\p{Script=Latin}]$/u.test(key)

/**
 * The action as a command of `storehouse`.
 * @param {Entry} entry @param {Where} where @returns {string}
 */
export function storehouseSend(entry, where) {
    const { payload, hasSecret } = clear(entry, where.action)
    const keys = isTree(payload) ? Object.keys(payload) : []
    const odd = keys.find(key => !isWritable(key))
    if (odd !== undefined) return `# 'storehouse send' cannot write the member ${text(odd)}.\n${curl(entry, where)}`
    const members = keys.map(key => {
        const value = payload[key]
        const isPlain = typeof value === "string" && /^[A-Za-z][\w.-]*$/.test(value) && !/^(true|false|null)$/.test(value)
        return quoted(isPlain && !key.endsWith(":") ? `${key}=${value}` : `${key}:=${text(value)}`)
    })
    const words = [quoted(entry.type), ...members]
    const flags = where.needsToken ? ` --header "Authorization: Bearer $TOKEN"` : ""
    const isFlag = words.some(word => /^'?-/.test(word))
    const line = `storehouse send${flags}${isFlag ? " --" : ""} ${[quoted(resource(where)), ...words].join(" ")}`
    return hasSecret ? `# ${note}\n${line}` : line
}

/**
 * The action as a program for a browser.
 * @param {Entry} entry @param {Where} where @returns {string}
 */
export function javaScript(entry, where) {
    const { payload, hasSecret } = clear(entry, where.action)
    const options = where.needsToken ? ", { token: () => token }" : ""
    return [
        `import { connect } from ${text(where.base.replace(/\/+$/, "") + "/client.js")}`, "",
        `const store = connect(${text(resource(where))}${options})`,
        ...(hasSecret ? [`// ${note}`] : []),
        `await store.dispatch(${source(bodyOf(entry, payload))})`,
    ].join("\n")
}

/**
 * JSON in a program, where some of it has another meaning.
 * @param {any} value
 */
const source = value => text(value, 2).replace(/^( *)"__proto__":|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gm, (found, indent) => {
    if (indent !== undefined) return `${indent}["__proto__"]:`
    return found.startsWith('"') || String(Number(found)) === found ? found : `JSON.rawJSON("${found}")`
})

/** @param {import("./address.js").Address & {base: string}} where @returns {string} the address of what is shown */
export const link = where => where.base.replace(/[#?].*$/s, "") + formatAddress(where)

/** @param {any} value @returns {string} a value of an action in Swift */
function argument(value) {
    if (value === undefined || value === null) return "nil"
    if (typeof value === "string") return literal(value)
    if (Array.isArray(value)) return `[${value.map(argument).join(", ")}]`
    return isTree(value) ? `/* a value of ${text(value).replaceAll("*/", "* /").replaceAll("/*", "/ *")} */` : text(value)
}

/** @param {any} kind @param {Entry} entry @param {any} payload @param {any} action */
function call(kind, entry, payload, action) {
    const parts = entry.type.split("/")
    const schema = action?.payload?.properties ?? {}
    const filled = Object.keys(action?.filled ?? {})
    const keys = new Set([...Object.keys(schema), ...Object.keys(payload ?? {})].filter(key => !filled.includes(key)))
    const values = [...keys].map(key => argument(member(payload, key) ?? member(schema, key)?.default))
    const inner = `${global(parts.at(-1) ?? "")}(${values.join(", ")})`
    const slices = parts.slice(0, -1).filter(part => part !== kind.name)
    return slices.reduceRight((made, slice) => `${global(slice)}(${made})`, inner)
}

/**
 * The name of something outside the test, in which others have names too.
 * @param {string} name
 */
function global(name) {
    const found = identifier(name)
    return ["before", "after", "store"].includes(found) ? `${found}_` : found
}

/** @param {any} actor @returns {string} */
function acting(actor) {
    if (!actor?.id || (actor.kind !== "user" && actor.kind !== "guest")) return ""
    const name = actor.name === undefined ? "" : `, name: ${literal(actor.name)}`
    const roles = actor.roles?.length ? `, roles: [${actor.roles.map(literal).join(", ")}]` : ""
    return `.as(.${actor.kind}(${literal(actor.id)}${name}${roles}))`
}

/** @param {any} before @param {any} after */
function changeLines(before, after) {
    const { changes, isCut } = between(before, after, 8)
    const lines = changes.map(({ sign, pointer, before, after }) => {
        const [old, value] = [before, after].map(value => shortened(text(value)))
        return `// ${sign} ${oneLine(pointer || "/")}: ${sign === "+" ? value : sign === "-" ? old : `${old} → ${value}`}`
    })
    return isCut ? [...lines, "// …"] : lines
}

const oneLine = (/** @type {string} */ text) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ")
const shortened = (/** @type {string} */ text) => oneLine(text.length > 60 ? `${text.slice(0, 60)}…` : text)

/**
 * The action as a test with a `TestStore`. The names that the program gives to the definition and its actions are taken to be
 * those in JSON.
 * @param {{kind: any, entry: Entry, before: any, after: any}} made from the description of the kind and two states
 * @returns {string}
 */
export function swiftTest({ kind, entry, before, after }) {
    const action = kind.actions?.find((/** @type {any} */ { type }) => type === entry.type)
    const { payload, hasSecret } = clear(entry, action)
    const definition = global(kind.name)
    const isChanged = between(before, after, 1).changes.length > 0
    const state = (/** @type {string} */ name, /** @type {any} */ value) =>
        `let ${name} = try ${definition}.restored(from: JSONValue(parsing: ${raw(value)}))`
    const fillers = Object.values(action?.filled ?? {})
    const clock = fillers.includes("now") ? `, clock: TestClock(now: ${Date.parse(entry.at)})` : ""
    const notes = [
        ...(entry.origin && entry.origin !== "client" ? [`// Its sender was ${entry.origin}, not a client.`] : []),
        ...(fillers.includes("id") ? ["// The server has filled in an id, which is another one here."] : []),
    ]
    const lines = [
        state("before", before),
        ...(isChanged ? [state("after", after)] : []),
        `let store = TestStore(before, reducer: ${definition}.reducer${clock})`,
        ...notes, ...changeLines(before, after), ...(hasSecret ? [`// ${note}`] : []),
        `try store${acting(entry.actor)}.dispatch(${call(kind, entry, payload, action)})${isChanged ? " { $0 = after }" : ""}`,
        "try store.finish()",
    ]
    const name = identifier(`${entry.type} at revision ${entry.revision}`).replaceAll("`", "")
    const imports = ["import Storehouse", "import StoresTesting", "import Testing"]
    return [...imports, "", `@testable import ${upper(definition.replaceAll("`", ""))} // the module of the definition`, "",
        `@Test func ${name}() throws {`, indented(lines.join("\n")), "}", ""].join("\n")
}
