import { app, shownRevision } from "./app.js"
import { copyCurl } from "./copying.js"
import { $, isPhone, make } from "./dom.js"
import { openForks } from "./forks.js"
import { openDialog } from "./layers.js"
import { move, togglePause } from "./log.js"
import { tabs } from "./model/address.js"
import { choose, look } from "./navigate.js"
import { openPalette } from "./palette.js"
import { dryRun, edit, focusSend } from "./send.js"
import { openSwitcher } from "./sessions.js"
import { openShares } from "./shares.js"
import { stopPlaying, togglePlay } from "./timeline.js"

const unfold = () => {
    document.documentElement.classList.remove("folded")
    if (isPhone()) showView("send")
    focusSend()
}

/** @param {string} name of the view of a phone */
export function showView(name) {
    document.body.dataset.view = name
    delete document.body.dataset.sheet
    for (const one of $("views").children) {
        if (one.dataset.name === name) one.setAttribute("aria-current", "page")
        else one.removeAttribute("aria-current")
    }
    if (name === "state" && app.view.tab !== "state") look({ tab: "state" })
    dispatchEvent(new Event("resize"))
}

/** Fills the form with the chosen action. */
function again() {
    const entry = app.session?.entryAt(shownRevision())
    if (entry?.origin !== "client") return
    edit(entry)
    unfold()
}

/** @typedef {[string, string, () => void]} Command its name, its key, and what it does */

/** @returns {Command[]} */
export const commands = () => !app.session ? [] : [
    ["Next older action", "j", () => move(1)],
    ["Next newer action", "k", () => move(-1)],
    ["Compare with an older one", "Shift j", () => move(1, true)],
    ["Compare with a newer one", "Shift k", () => move(-1, true)],
    ["Compare with the one before", "B", () => look({ b: app.view.b === null ? Math.max(0, shownRevision() - 1) : null })],
    ["Filter the log", "/", () => $("filter").focus()],
    ["Search everything", "⌘K", openPalette],
    ["Play, or stop", "Space", togglePlay],
    ["Follow the newest revision", "L", () => (stopPlaying(), choose(null))],
    ["Pause the list", "P", togglePause],
    ["Fork", "F", openForks],
    ["Dry run", "D", dryRun],
    ["Go to the form", "N", unfold],
    ["Fold or unfold the form", "]", () => document.documentElement.classList.toggle("folded")],
    ["Send the chosen action again, or edit it", "E", again],
    ["Copy the action as curl", "C", copyCurl],
    ["Other sessions", "S", openSwitcher],
    ["Shares", "H", openShares],
    ["Lock: view only", "V", () => look({ lock: !app.view.lock })],
    ...tabs.map((tab, i) => /** @type {Command} */ ([`Show: ${tab}`, String(i + 1), () => look({ tab })])),
    ["Keyboard overview", "?", openOverview],
]

export function openOverview() {
    const rows = [...commands(), ["Send", "⌘Enter"], ["Close", "Escape"]]
    openDialog("Keyboard", [make("div", "cells", ...rows.flatMap(([label, keys]) => [make("kbd", "", keys), make("span", "", label)]))])
}

/** @param {KeyboardEvent} event */
const nameOf = event => {
    if (event.key === " ") return "Space"
    if ("jkJK".includes(event.key)) return (event.shiftKey ? "Shift " : "") + event.key.toLowerCase()
    return event.key.length === 1 ? event.key.toUpperCase() : event.key
}

/** @param {KeyboardEvent} event */
function press(event) {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault()
        return openPalette()
    }
    const target = /** @type {HTMLElement} */ (event.target)
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || !app.session) return
    if (target.closest("input, select, textarea, dialog, [role=menu]")) {
        if (event.key === "Escape" && target.matches("#filter")) $("list").focus()
        return
    }
    if (event.key === " " && target.closest("button, a, summary")) return
    if (event.key === "Escape") return void delete document.body.dataset.sheet
    const command = commands().find(([, keys]) => keys === nameOf(event))
    if (!command) return
    event.preventDefault()
    command[2]()
}

export function startKeys() {
    addEventListener("keydown", press)
    $("find").addEventListener("click", openPalette)
    $("unfold").addEventListener("click", unfold)
}
