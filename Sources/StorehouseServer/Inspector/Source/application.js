import { app, changed, onChange } from "./app.js"
import { closeBeside } from "./beside.js"
import { startCopying } from "./copying.js"
import { resetDetail, startDetail } from "./detail.js"
import { $, button, isPhone, make, mark, roving, settle, write } from "./dom.js"
import { exportSession, openImport, readAll } from "./exporting.js"
import { startForks } from "./forks.js"
import { openOverview, showView, startKeys } from "./keys.js"
import { attempt, openMenu, tell, toast } from "./layers.js"
import { resetLog, startLog } from "./log.js"
import { addressed, followAddress, go, look, onOpen } from "./navigate.js"
import { notices } from "./replays.js"
import { resetSend, startSend } from "./send.js"
import { ask, onUnauthorized, pathOf } from "./server.js"
import { Session } from "./session.js"
import { loadKinds, onSignIn, openSwitcher, startSessions, wantToken } from "./sessions.js"
import { keep, recent, setting } from "./settings.js"
import { openShares, startShares } from "./shares.js"
import { startStatus } from "./status.js"
import { startTimeline, stopPlaying } from "./timeline.js"

const hasEnded = "It was deleted or has expired. A page that showed it can still read and export what it has loaded. "
    + "Otherwise only a backup has it."

/** @param {string | null} id */
async function openSession(id) {
    stopPlaying()
    app.session?.close()
    app.session = null
    if (app.view.beside === null) closeBeside()
    resetLog()
    resetDetail()
    resetSend()
    tell(null)
    changed("session")
    if (!id) return
    app.isOpening = true
    try {
        await load(id)
    } finally {
        app.isOpening = false
        changed("session", "view", "state", "log")
    }
}

/** @param {string} id */
async function load(id) {
    const isShare = id.startsWith("share/")
    const document_ = isShare ? { id, store: "share", effects: [] } : await ask("GET", pathOf(id)).catch(problem => {
        if (problem.status !== 410) throw problem
        recent.remove(id)
        throw { ...problem, detail: hasEnded }
    })
    if (addressed() !== id || app.session) return
    const session = (app.session = new Session(document_))
    session.notice = isShare ? "A share: its part of the state, and what changes it from now on. The page is locked." : notices.get(id)
    if (isShare) {
        app.view.lock = true
        document.documentElement.classList.add("folded")
    } else recent.add({ id, store: document_.store, at: Date.now(), title: document_.mark?.slice(0, 8) })
    session.open()
}

const open = () => attempt(followAddress)

function paintBar() {
    const { session, view } = app
    const { store, mark: name = "", forkedFrom } = session?.document ?? {}
    write($("chip"), session ? `${forkedFrom ? "fork › " : ""}${store} ${name.slice(0, 8)} ▾` : "Sessions ▾")
    $("chip").hidden = !session
    $("unfold").hidden = !!session?.isShare
    $("lockmark").hidden = !view.lock
    document.title = session ? `${store} ${name.slice(0, 8)} · Storehouse` : "Storehouse inspector"
    $("fork").disabled = $("shares").disabled = !session || session.isOver || view.lock
}

/** @param {string} theme */
function dress(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    keep("theme", theme)
    changed("log")
}

function openMore() {
    const { session } = app
    /** @type {[string, () => void][]} */
    const items = []
    if (session && !session.isShare) {
        items.push(["Sessions …", openSwitcher], ["Shares …", openShares], ["Export", exportSession])
        items.push([app.view.lock ? "Unlock" : "Lock: view only", () => look({ lock: !app.view.lock })])
    }
    items.push(["Import …", openImport])
    for (const theme of ["system", "light", "dark"]) items.push([`Theme: ${theme}`, () => dress(theme)])
    if (session) items.push(["Keyboard …", openOverview])
    if (session && !session.isOver && !session.isShare && !app.view.lock) items.push(["Delete this session …", end])
    if (session) items.push(["Close this session", () => go("")])
    openMenu($("more"), items)
}

function end() {
    const { session } = app
    if (!session || !confirm("Delete this session for everybody?")) return
    attempt(async () => {
        await readAll(session)
        await ask("DELETE", session.path)
        toast("The session is deleted. This page can still read and export what it has loaded.", undefined, 10)
    })
}

/**
 * The borders between the columns can be moved.
 * @param {string} column @param {HTMLElement} place @param {number} sign
 */
function grip(column, place, sign) {
    const handle = make("div", "grip")
    const set = (/** @type {number} */ width) => document.documentElement.style.setProperty("--" + column, `${Math.max(220, Math.min(innerWidth / 2, width))}px`)
    handle.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
        handle.setPointerCapture(event.pointerId)
        const [start, width] = [event.clientX, place.offsetWidth]
        handle.onpointermove = (/** @type {PointerEvent} */ moved) => moved.buttons && set(width + sign * (moved.clientX - start))
        handle.onpointerup = () => {
            handle.onpointermove = null
            keep(column, String(place.offsetWidth))
            dispatchEvent(new Event("resize"))
        }
    })
    const kept = Number(setting(column))
    if (kept) set(kept)
    return handle
}

function startViews() {
    for (const [name, label] of [["log", "Log"], ["state", "State"], ["send", "Send"]]) {
        const tab = button(label, () => showView(name))
        tab.dataset.name = name
        $("views").append(tab)
    }
    $("views").append(button("More", openMore))
    showView("log")
    $("log").append(grip("log", $("log"), 1))
    $("detail").append(grip("send", $("send"), -1))
}

/** On a phone, swiping on the sheet goes on to the next action. */
function startSwiping() {
    let start = 0
    $("detail").addEventListener("touchstart", (/** @type {TouchEvent} */ event) => void (start = event.touches[0].clientX), { passive: true })
    $("detail").addEventListener("touchend", (/** @type {TouchEvent} */ event) => {
        const way = event.changedTouches[0].clientX - start
        if (isPhone() && Math.abs(way) > 60) $(way < 0 ? "forth" : "back").click()
    }, { passive: true })
}

/** A server in token mode is no error: it asks to sign in. */
const start = () => Promise.all([loadKinds(), followAddress()]).catch(problem => {
    if (problem.status !== 401) throw problem
})

document.documentElement.classList.toggle("folded", innerWidth < 1024 && innerWidth > 640)
if (setting("theme")) dress(setting("theme") ?? "system")
onUnauthorized(wantToken)
onSignIn(() => {
    for (const dialog of document.querySelectorAll("dialog")) dialog.close()
    if (app.session) app.session.stream?.renew()
    else open()
})
onOpen(openSession)
startSessions()
startTimeline() // before the others: it asks for styles, which the browser would find anew behind their changes
startLog()
startDetail()
startSend()
startStatus()
startForks()
startCopying()
startShares()
startKeys()
startViews()
startSwiping()
roving($("bar"))
$("more").addEventListener("click", openMore)
onChange(["session", "view", "connection", "document"], paintBar)
onChange(["session", "view", "connection"], settle)
addEventListener("popstate", open) // which comes for each change of the fragment too
mark(document.body, { "data-ready": "" })
attempt(start)
