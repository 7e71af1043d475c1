import { app, changed, kind, onChange, shownRevision } from "./app.js"
import { detailed, showChanges } from "./changelist.js"
import { $, button, make, mark, roving, write } from "./dom.js"
import { paintEffects } from "./effects.js"
import { chosenRefusal, clock, origins } from "./log.js"
import { copies } from "./copying.js"
import { noticeOf } from "./forks.js"
import { tell } from "./layers.js"
import { tabs } from "./model/address.js"
import { ofPatch } from "./model/changes.js"
import { delta } from "./model/rates.js"
import { choose, look } from "./navigate.js"
import { plain } from "./send.js"
import { pathBar, Pins, searchField, TreeView } from "./treeview.js"
import { compareBeside } from "./beside.js"

const calm = 400 // milliseconds without a commit

/** @type {TreeView} */
let view
/** @type {Pins} */
let pins
/** @type {Record<string, any>} the elements of the panel */
let parts = {}
/** What was shown last, so that nothing is made twice. */
let last = /** @type {any} */ ({})

/** @param {string} pointer */
const reveal = pointer => {
    view.reveal(pointer, true)
    changed("state")
}

function paint() {
    const { session, view: shown } = app
    if (!session) return
    const revision = shownRevision()
    const entry = chosenRefusal ?? session.entryAt(revision)
    paintTitle(revision, entry)
    paintTabs(entry)
    const tab = shown.tab
    const isBoth = tab === "changes" || tab === "state"
    mark($("panel"), { "aria-labelledby": "tab-" + tab, tabindex: isBoth ? null : 0 })
    const visible = {
        notice: !!session.notice, beside: !!shown.beside, changes: tab === "changes" || tab === "state" && innerWidth >= 1600,
        tools: tab === "state", pins: isBoth && pins.pins.size > 0, tree: isBoth, path: tab === "state",
        action: tab === "action", effects: tab === "effects", test: tab === "test",
    }
    for (const [name, isShown] of Object.entries(visible)) if (parts[name].hidden === isShown) parts[name].hidden = !isShown
    $("panel").classList.toggle("both", isBoth && innerWidth >= 1600)
    write(parts.notice, noticeOf(session))
    if (isBoth) paintState(session, revision, entry)
    if (tab === "action") paintAction(entry)
    if (tab === "effects") paintEffects(parts.effects, session, revision)
    if (tab === "test") paintTest(session, revision, entry)
    if (shown.beside) compareBeside(parts.beside, shown.beside)
}

/**
 * It is reached from the tabs by arrows.
 * @param {any} one
 */
const aside = one => mark(one, { tabindex: -1 })

/** @param {number} revision @param {any} entry */
function paintTitle(revision, entry) {
    const key = `${revision} ${entry?.type} ${entry?.status} ${app.view.b} ${entry?.at} ${app.session?.entries.get(revision - 1)?.at}`
    if (last.title === key) return
    last.title = key
    const title = $("title")
    if (app.view.b !== null) {
        const end = aside(button("end comparing", () => look({ b: null }), "link"))
        return title.replaceChildren(make("b", "", `#${revision} against #${app.view.b}`), " ", end)
    }
    if (!entry) return title.replaceChildren(make("b", "", `#${revision}`), revision ? "" : " the beginning")
    const refused = entry.status !== undefined
    const before = app.session?.entries.get(revision - 1)
    const [, origin] = origins[refused ? "refused" : entry.origin ?? "system"] ?? origins.system
    const actor = entry.actor?.name ?? entry.actor?.id
    const words = [actor ? `${actor} (${entry.actor.kind})` : origin, clock(entry.at), before && !refused && delta(Date.parse(entry.at) - Date.parse(before.at))]
    const name = refused ? `✕ ${entry.type}` : `#${revision} ${entry.type}`
    const cause = entry.cause && aside(button(`because of #${entry.cause}`, () => choose(entry.cause), "link"))
    title.replaceChildren(make("b", refused ? "bad" : "", name), " ", cause || "", make("span", "dim", " " + words.filter(Boolean).join(" · ")))
    title.title = entry.at
}

/** @param {any} entry */
function paintTabs(entry) {
    const { session } = app
    const revision = shownRevision()
    const count = session?.effects.filter(effect => effect.cause === revision).length
    const labels = {
        changes: `Changes${entry?.patch && app.view.b === null ? ` ${entry.patch.length}` : ""}`, state: "State", action: "Action",
        effects: `Effects${count ? ` ${count}` : ""}`, test: "Test",
    }
    for (const [name, label] of Object.entries(labels)) {
        const tab = $("tab-" + name)
        write(tab, label)
        mark(tab, { "aria-selected": name === app.view.tab })
    }
}

/** @param {import("./session.js").Session} session @param {number} revision @param {any} entry */
function paintState(session, revision, entry) {
    const now = session.stateAt(revision)
    if (app.view.b !== null) return paintComparison(session, revision, app.view.b)
    if (entry?.status !== undefined) showRefusal(entry)
    else paintPatch(session, revision, entry)
    if (now.isLoading) return write(parts.hint, "Loading …")
    write(parts.hint, "")
    tell(now.problem, parts.hint)
    if (now.state === undefined) return
    showTree(session, revision, now.state, entry?.patch && entry.status === undefined ? last.marked ?? [] : [])
}

/** @param {import("./session.js").Session} session @param {number} revision @param {any} state @param {string[]} marked */
function showTree(session, revision, state, marked) {
    const isLive = revision === session.revision
    view.set(state, marked, isLive && last.live === session && session.touched ? session.touched : undefined)
    if (isLive) session.touched = new Set()
    last.live = isLive ? session : null
    // The first change may be known better once the state before is here.
    const goal = revision + marked[0]
    if (app.view.tab === "changes" && marked.length && last.revealed !== goal && isCalm(isLive)) {
        last.revealed = goal
        view.reveal(marked[0].replace(/\/-$/, ""))
    }
    view.paint()
    parts.path.paint()
    if (pins.pins.size) pins.paint()
}

/**
 * Whether the tree may scroll to a change. While commits follow each other fast it stands: nobody could read it, and the browser
 * needs another frame to scroll.
 * @param {boolean} isLive
 */
function isCalm(isLive) {
    const [now, before] = [performance.now(), last.came]
    clearTimeout(last.calm)
    last.came = now
    if (!isLive || !(now - before < calm)) return true
    last.calm = setTimeout(() => changed("state"), calm)
    return false
}

/** @param {import("./session.js").Session} session @param {number} revision @param {any} entry */
function paintPatch(session, revision, entry) {
    const before = revision ? session.stateAt(revision - 1) : {}
    const key = `${revision} ${!!entry?.patch} ${before.state === undefined}`
    if (last.changes === key && last.session === session) return
    Object.assign(last, { changes: key, session })
    last.marked = []
    if (!revision) return showChanges(parts.changes, [], { none: "The state that the session began with." })
    if (!entry?.patch) return showChanges(parts.changes, [], { none: session.isShare ? "" : "Loading …" })
    /** @type {import("./model/changes.js").Change[]} */
    const plain = entry.patch.map((/** @type {any} */ { op, path, value }) =>
        ({ sign: op === "remove" ? "-" : op === "add" ? "+" : "~", pointer: path, before: undefined, after: value }))
    const found = before.state === undefined ? plain : detailed(ofPatch(before.state, entry.patch))
    last.marked = found.map(({ pointer }) => pointer)
    showChanges(parts.changes, found, { reveal })
}

/** @param {any} entry */
function showRefusal({ status, code, reason, revision, index }) {
    last.changes = null
    const which = index === undefined ? "" : `, action ${index} of a batch`
    parts.changes.replaceChildren(make("li", "del", make("span", "sign", "✕"), make("span", "what",
        `Refused at #${revision}${which}: ${status} ${code}${reason ? `, ${reason}` : ""}. Nothing was changed.`)))
}

/** @param {import("./session.js").Session} session @param {number} a @param {number} b */
function paintComparison(session, a, b) {
    const key = `${a} against ${b}`
    if (last.changes === key && last.session === session) return
    Object.assign(last, { changes: key, session })
    showChanges(parts.changes, [], { none: "Loading …" })
    session.travel.changes(Math.min(a, b), Math.max(a, b), 500).then((/** @type {any} */ { changes, isCut }) => {
        if (last.changes !== key) return
        showChanges(parts.changes, changes, { reveal, isCut, none: "The two states are the same." })
        const now = session.stateAt(a)
        if (now.state !== undefined) showTree(session, a, now.state, changes.map((/** @type {any} */ { pointer }) => pointer))
    }, (/** @type {any} */ problem) => tell(problem, parts.hint))
}

/** @param {any} entry */
function paintAction(entry) {
    // The kinds of the server may come later than the entry.
    const declared = kind()?.actions.find((/** @type {any} */ action) => action.type === entry?.type)
    if (last.action === entry && last.declared === declared && entry) return
    last.action = entry
    last.declared = declared
    if (!entry) return parts.action.replaceChildren(make("p", "dim", "The session began here."))
    const { patch, ...rest } = entry
    const all = app.session?.entries.visible().filter(other => other.type === entry.type && other.status === undefined) ?? []
    parts.action.replaceChildren(
        make("p", "", plain(declared?.summary ?? "")), make("p", "note", `${all.length} of the ${app.session?.entries.size} actions that are loaded are of this type.`),
        make("h2", "sub", "Log entry"), make("pre", "", JSON.stringify(rest, null, 2)),
        make("h2", "sub", "Patch"), make("pre", "", JSON.stringify(patch ?? [], null, 1)),
        make("h2", "sub", "Schema of the payload"), make("pre", "", JSON.stringify(declared?.payload ?? {}, null, 2)))
}

/** @param {import("./session.js").Session} session @param {number} revision @param {any} entry */
function paintTest(session, revision, entry) {
    const [before, after] = [session.stateAt(revision - 1), session.stateAt(revision)]
    const key = `${revision} ${!!entry} ${before.state === undefined} ${after.state === undefined}`
    if (last.test === key) return
    last.test = key
    const isReady = entry && entry.status === undefined && before.state !== undefined && after.state !== undefined
    const source = isReady ? copies.swiftTest(session, entry, before.state, after.state) : ""
    parts.test.replaceChildren(source ? make("p", "note", `A test in Swift of what this action does, from #${revision - 1} to #${revision}.`)
        : make("p", "dim", entry ? "Loading …" : "Choose an action."), make("pre", "", source))
}

/** Another session begins without what belongs to the one before. */
export function resetDetail() {
    last = {}
    pins.clear()
    view.chosen = ""
}

/**
 * Goes on in the state: opens and chooses what a pointer leads to.
 * @param {string} pointer
 */
export function showInState(pointer) {
    look({ tab: "state" })
    requestAnimationFrame(() => reveal(pointer))
}

export function startDetail() {
    view = new TreeView()
    pins = new Pins()
    const found = searchField(view)
    const path = pathBar(view, pointer => pins.toggle(pointer))
    const changes = mark(make("ul", "changes"), { "aria-label": "Changes" })
    parts = {
        notice: mark(make("p", "pad warn"), { role: "status" }), hint: mark(make("div", "pad quiet"), { role: "status" }),
        beside: make("div", "pad"), changes, tools: found.element, pins: pins.element, tree: view.element, path: path.element,
        action: make("div", "pad"), effects: make("div", ""), test: make("div", "pad"),
    }
    parts.path.paint = path.paint
    $("panel").append(parts.notice, parts.hint, parts.beside, parts.changes, parts.tools, parts.pins, parts.tree, parts.path, parts.action,
        parts.effects, parts.test)
    for (const name of tabs) {
        const tab = mark(button("", () => look({ tab: name })), { id: "tab-" + name, role: "tab", "aria-controls": "panel" })
        $("tabs").append(tab)
    }
    roving($("detail"), "#title button, #deeds button, #tabs button", "[aria-selected=true]")
    roving(path.element)
    onChange(["session", "state", "view", "log", "effects"], paint)
}
