import { app, changed, onChange, shownRevision } from "./app.js"
import { $, isPhone, make, mark, roving, VirtualList, write } from "./dom.js"
import { causeTree } from "./model/causes.js"
import { parseFilter } from "./model/filter.js"
import { delta } from "./model/rates.js"
import { choose, look } from "./navigate.js"

/** @typedef {import("./model/entries.js").Entry} Entry */

/** @type {Record<string, [string, string]>} glyph and name of an origin */
export const origins = {
    client: ["●", "a client"], effect: ["◆", "an effect"], middleware: ["▲", "middleware"], timer: ["◷", "a timer"],
    system: ["■", "the system"], refused: ["✕", "refused"],
}

let filter = /** @type {any} */ (null)
let filterText = ""
let isTreeMode = false
/** @type {{list: Entry[], newest: number} | null} what stands while the list is paused */
let held = null
/** @type {Entry[]} */
let list = []
/** @type {Map<Entry, import("./model/causes.js").CauseRow>} */
let places = new Map()
let lastCount = 0
let told = 0

/** @param {Entry} entry */
const isRefused = entry => entry.status !== undefined
/** @param {Entry} entry */
const keyOf = entry => isRefused(entry) ? entry.at + entry.type + entry.revision : entry.revision

/** @param {string} at */
export const clock = at => {
    const time = new Date(at)
    const two = (/** @type {number} */ n, width = 2) => String(n).padStart(width, "0")
    return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${two(time.getMilliseconds(), 3)}`
}

/** @param {string} at */
const minute = at => Math.floor(Date.parse(at) / 60000)
const times = new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "short" })

/** @param {any} row @param {number} index */
function draw(row, index) {
    const entry = list[index]
    if (!row.firstChild) {
        row.append(...["n", "glyph", "name", "body", "since"].map(look => make("span", look)))
        row.querySelector(".name").append(make("span", "space"), make("span"))
    }
    const refused = isRefused(entry)
    const isSelected = !refused && entry.revision === shownRevision() || row.entry === entry && chosenRefusal === entry
    row.classList.toggle("refused", refused)
    row.classList.toggle("other", !refused && entry.revision === app.view.b)
    // Only of the chosen row the place is read, and all places change with each commit.
    const place = (/** @type {number} */ number) => isSelected ? number : null
    mark(row, { role: "option", "aria-selected": isSelected, id: `row-${keyOf(entry)}`,
        "aria-posinset": place(index + 1), "aria-setsize": place(list.length) })
    if (row.entry === entry && row.previous === list[index + 1] && row.isTree === isTreeMode) return
    Object.assign(row, { entry, previous: list[index + 1], isTree: isTreeMode })
    fill(row, entry, list[index + 1])
}

/** @param {any} row @param {Entry} entry @param {Entry | undefined} previous the one below */
function fill(row, entry, previous) {
    const [n, glyph, name, body, later] = row.children
    const refused = isRefused(entry)
    const [sign, origin] = origins[refused ? "refused" : entry.origin ?? "system"] ?? origins.system
    const slash = entry.type.lastIndexOf("/") + 1
    const place = isTreeMode ? places.get(entry) : undefined
    write(n, refused ? "" : String(entry.revision))
    write(glyph, sign)
    name.style.paddingLeft = (place?.depth ?? 0) * 12 + "px"
    write(name.firstChild, entry.type.slice(0, slash))
    write(name.lastChild, entry.type.slice(slash))
    const payload = entry.payload && Object.keys(entry.payload).length ? JSON.stringify(entry.payload).slice(0, 300) : ""
    write(body, refused ? `${entry.status} ${entry.reason ?? entry.code ?? ""} ${payload}` : payload)
    const isFirst = !isTreeMode && previous && minute(previous.at) !== minute(entry.at)
    const isCaused = place && (place.depth || place.children)
    const after = isCaused ? place.duration : (previous ? Date.parse(entry.at) - Date.parse(previous.at) : undefined)
    write(later, isFirst ? clock(entry.at).slice(0, 5) : after === undefined ? "" : delta(after))
    row.classList.toggle("minute", !!isFirst)
    const { start = 0, part = 0 } = place ?? {}
    const at = (/** @type {number} */ x) => `${(x * 100).toFixed(1)}%`
    later.style.background = part ? `linear-gradient(90deg, transparent ${at(start)}, var(--edit) 0 ${at(start + part)}, transparent 0) 0 100% / 100% 3px no-repeat` : ""
    row.title = `${clock(entry.at)} by ${origin}${entry.cause ? `, because of #${entry.cause}` : ""}`
}

/** @type {Entry | null} */
export let chosenRefusal = null

const rows = /** @type {{list?: VirtualList}} */ ({})

function paint() {
    const { session, view } = app
    if (!session) return
    if (view.q !== filterText || !filter) readFilter(view.q)
    if (!held) list = entriesShown()
    const virtual = /** @type {VirtualList} */ (rows.list)
    const grown = list.length - lastCount
    if (virtual.top > 0 && grown > 0 && isNewer()) virtual.scrollTo(virtual.top + grown * virtual.height)
    lastCount = list.length
    firstKey = list[0] ? keyOf(list[0]) : undefined
    virtual.paint()
    paintAround(session, virtual)
    const first = list[Math.floor(virtual.top / virtual.height)]
    write($("minute"), first ? times.format(minute(first.at) * 60000) : "")
    mark($("list"), { "aria-activedescendant": virtual.shown.has(shownRevision()) ? `row-${shownRevision()}` : null })
}

/** @type {any} */
let firstKey
/** Whether the list has grown at its beginning. */
const isNewer = () => firstKey !== undefined && list[0] !== undefined && keyOf(list[0]) !== firstKey

/** @returns {Entry[]} */
function entriesShown() {
    const { entries } = /** @type {import("./session.js").Session} */ (app.session)
    if (!isTreeMode) return entries.visible(filterText ? filter : null)
    const tree = causeTree(entries.visible())
    places = new Map(tree.map((/** @type {any} */ one) => [one.entry, one]))
    const shown = tree.map((/** @type {any} */ one) => one.entry)
    return filterText ? shown.filter((/** @type {Entry} */ entry) => filter.matches(entry)) : shown
}

/** @param {import("./session.js").Session} session @param {VirtualList} virtual */
function paintAround(session, { top, tall, height }) {
    const { entries } = session
    const coming = held ? session.revision - held.newest : 0
    const empty = !list.length && (entries.size ? "Nothing matches." : entries.isWhole ? "No action yet. Send one." : session.isShare ? "No change yet." : "")
    const fault = session.problem ? `The log cannot be read: ${session.problem.detail ?? session.problem}` : ""
    const rest = session.isOver && !entries.isWhole && `Actions before #${entries.oldest} were not loaded when it ended.`
    write($("news"), coming ? `${coming} new` : fault || empty || rest || "")
    const isNear = top + tall > (list.length - 20) * height
    if (!entries.isWhole && !session.isOver && entries.size && isNear) session.older()
}

/** @param {string} text */
function readFilter(text) {
    filterText = text
    filter = parseFilter(text)
    write($("filterproblem"), filter.problem ?? "")
    if ($("filter").value !== text) $("filter").value = text
}

/** @param {Entry} entry */
function open(entry) {
    chosenRefusal = isRefused(entry) ? entry : null
    if (!chosenRefusal) choose(entry.revision, { isStep: true })
    document.body.dataset.sheet = ""
    // The sheet takes the place of rows, which is known after the next frame.
    if (isPhone()) requestAnimationFrame(() => requestAnimationFrame(() => {
        rows.list?.reveal(list.indexOf(entry))
        changed("log")
    }))
    changed("view", "state")
}

/**
 * Goes on to the row above or below.
 * @param {number} by @param {boolean} [extends_] moves B, to compare
 */
export function move(by, extends_ = false) {
    const current = extends_ ? app.view.b ?? shownRevision() : shownRevision()
    let index = chosenRefusal ? list.indexOf(chosenRefusal) : list.findIndex(entry => !isRefused(entry) && entry.revision <= current)
    if (index < 0) index = by > 0 ? -1 : list.length
    const entry = list[Math.max(0, Math.min(list.length - 1, index + by))]
    if (!entry) return
    if (extends_) look({ b: entry.revision })
    else open(entry)
    rows.list?.reveal(list.indexOf(entry))
}

/** Lets the list stand, or shows again what comes. */
export function togglePause() {
    const { session } = app
    if (!session) return
    held = held ? null : { list: (list = [...list]), newest: session.revision }
    mark($("pause"), { "aria-pressed": !!held })
    changed("log", "view")
}

/** Another session begins without what belongs to the one before. */
export function resetLog() {
    held = chosenRefusal = null
    filter = null
    firstKey = undefined
    lastCount = told = 0
    mark($("pause"), { "aria-pressed": false })
    rows.list?.scrollTo(0)
}

/** Tells readers of the screen what has come, at most every three seconds. */
function tellNews() {
    const { session } = app
    if (!session || held || document.activeElement !== $("list")) return void (told = session?.revision ?? 0)
    const count = session.revision - told
    if (count > 0 && told) $("list").setAttribute("aria-description", `${count} new actions`)
    told = session.revision
}

export function startLog() {
    const virtual = (rows.list = new VirtualList($("list"), $("rows"), {
        count: () => list.length, key: index => keyOf(list[index]), draw, fromEnd: true,
    }))
    virtual.onscroll = () => changed("log")
    onChange(["session", "log", "view", "refused"], paint)
    $("filter").addEventListener("input", () => look({ q: $("filter").value }))
    $("pause").addEventListener("click", togglePause)
    $("causes").addEventListener("click", () => {
        isTreeMode = !isTreeMode
        mark($("causes"), { "aria-pressed": isTreeMode })
        $("rows").classList.toggle("causes", isTreeMode)
        changed("log")
    })
    $("rows").addEventListener("click", (/** @type {any} */ event) => {
        const row = event.target.closest(".row")
        if (!row) return
        if (event.shiftKey && !isRefused(row.entry)) look({ b: row.entry.revision })
        else open(row.entry)
    })
    $("list").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -list.length, End: list.length }[event.key]
        if (by === undefined) return
        event.preventDefault()
        move(by, event.shiftKey)
    })
    roving($("log"), "#list, #filter, #ways button", "#list")
    setInterval(tellNews, 3000)
    addEventListener("resize", () => changed("log", "state"))
}
