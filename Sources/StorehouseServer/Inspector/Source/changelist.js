import { make } from "./dom.js"
import { between } from "./model/changes.js"
import { isTree, text } from "./model/values.js"

/** @typedef {import("./model/changes.js").Change} Change */

const most = 100 // changes that are shown
const longest = 200 // characters of a value

const looks = { "+": "add", "-": "del", "~": "edit" }
const names = { "+": "added", "-": "removed", "~": "changed" }

/**
 * A patch may replace a whole part of the state: then the members that differ are told.
 * @param {Change[]} changes @returns {Change[]}
 */
export const detailed = changes => changes.flatMap(change => {
    const { sign, pointer, before, after } = change
    if (sign !== "~" || !isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) return [change]
    const { changes: inner, isCut } = between(before, after, most)
    return isCut ? [change] : inner.map(one => ({ ...one, pointer: pointer + one.pointer }))
})

/** @param {any} value */
const short = value => {
    const written = text(value)
    return written.length > longest ? written.slice(0, longest) + "…" : written
}

/** @param {Change} change @param {(pointer: string) => void} [reveal] */
function line({ sign, pointer, before, after }, reveal) {
    const path = make("button", "link", pointer || "/")
    Object.assign(path, { type: "button", tabIndex: -1 })
    path.addEventListener("click", () => reveal?.(pointer))
    const what = make("span", "what", reveal ? path : pointer || "/", " ")
    if (sign === "~") what.append(make("s", "", short(before)), " → ", short(after))
    else if (sign === "+") what.append(short(after))
    else what.append(make("s", "", short(before)))
    return make("li", looks[sign], make("span", "sign", sign === "-" ? "−" : sign), make("span", "said", names[sign]), what)
}

/**
 * @param {HTMLElement} list @param {Change[]} changes
 * @param {{reveal?: (pointer: string) => void, isCut?: boolean, none?: string}} how
 */
export function showChanges(list, changes, { reveal, isCut = false, none = "This action changed nothing." }) {
    const shown = changes.slice(0, most).map(change => line(change, reveal))
    const rest = changes.length - shown.length
    if (rest || isCut) shown.push(make("li", "dim", rest ? `and ${rest}${isCut ? " or" : ""} more` : "and more"))
    if (!shown.length) shown.push(make("li", "dim", none))
    list.replaceChildren(...shown)
}
