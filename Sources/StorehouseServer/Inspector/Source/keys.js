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

/** @returns {{label: string, keys: string, act: () => void}[]} */
export const commands = () => !app.session ? [] : [
    { label: "Next older action", keys: "j", act: () => move(1) },
    { label: "Next newer action", keys: "k", act: () => move(-1) },
    { label: "Compare with an older one", keys: "Shift j", act: () => move(1, true) },
    { label: "Compare with a newer one", keys: "Shift k", act: () => move(-1, true) },
    { label: "Compare with the one before", keys: "B", act: () => look({ b: app.view.b === null ? Math.max(0, shownRevision() - 1) : null }) },
    { label: "Filter the log", keys: "/", act: () => $("filter").focus() },
    { label: "Search everything", keys: "⌘K", act: openPalette },
    { label: "Play, or stop", keys: "Space", act: togglePlay },
    { label: "Follow the newest revision", keys: "L", act: () => (stopPlaying(), choose(null)) },
    { label: "Pause the list", keys: "P", act: togglePause },
    { label: "Fork", keys: "F", act: openForks },
    { label: "Dry run", keys: "D", act: dryRun },
    { label: "Go to the form", keys: "N", act: unfold },
    { label: "Fold or unfold the form", keys: "]", act: () => document.documentElement.classList.toggle("folded") },
    { label: "Send the chosen action again, or edit it", keys: "E", act: again },
    { label: "Copy the action as curl", keys: "C", act: copyCurl },
    { label: "Other sessions", keys: "S", act: openSwitcher },
    { label: "Shares", keys: "H", act: openShares },
    { label: "Lock: view only", keys: "V", act: () => look({ lock: !app.view.lock }) },
    ...tabs.map((tab, i) => ({ label: `Show: ${tab}`, keys: String(i + 1), act: () => look({ tab }) })),
    { label: "Keyboard overview", keys: "?", act: openOverview },
]

export function openOverview() {
    const rows = [...commands(), { label: "Send", keys: "⌘Enter" }, { label: "Close", keys: "Escape" }]
    openDialog("Keyboard", [make("div", "cells", ...rows.flatMap(({ label, keys }) => [make("kbd", "", keys), make("span", "", label)]))])
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
    const command = commands().find(({ keys }) => keys === nameOf(event))
    if (!command) return
    event.preventDefault()
    command.act()
}

export function startKeys() {
    addEventListener("keydown", press)
    $("find").addEventListener("click", openPalette)
    $("unfold").addEventListener("click", unfold)
}
