import { app, kind } from "./app.js"
import { showInState } from "./detail.js"
import { input, make, mark } from "./dom.js"
import { commands } from "./keys.js"
import { openDialog } from "./layers.js"
import { search } from "./model/search.js"
import { choose, go, look } from "./navigate.js"
import { chooseAction, focusSend } from "./send.js"
import { recent } from "./settings.js"

const most = 40

/** @typedef {{label: string, hint: string, act: () => void}} Offer */

/** @param {string} text @returns {Offer[]} */
function offers(text) {
    const { session } = app
    const lower = text.toLowerCase()
    /** @type {Offer[]} */
    const found = []
    const revision = Number(text.replace(/^#/, "") || NaN)
    if (session && Number.isInteger(revision)) found.push({ label: `#${revision}`, hint: "go to the revision", act: () => choose(revision) })
    const has = (/** @type {string} */ words) => words.toLowerCase().includes(lower)
    for (const [label, keys, act] of commands()) if (has(label)) found.push({ label, hint: keys, act })
    if (session) {
        for (const { type, audience } of kind()?.actions ?? []) {
            if (audience === "internal" || !has(type)) continue
            found.push({ label: type, hint: "send", act: () => (look({}), chooseAction(type), focusSend()) })
        }
        if (text) found.push({ label: text, hint: "filter the log", act: () => look({ q: text }) })
        if (text) found.push(...inState(session, text))
    }
    for (const { id, store, title } of recent.list()) if (has(`${store} ${title}`)) found.push({ label: `${store} ${title ?? ""}`, hint: "session", act: () => go(id) })
    return found.slice(0, most)
}

/** @param {import("./session.js").Session} session @param {string} text @returns {Offer[]} */
function inState(session, text) {
    const { state } = session.stateAt(app.view.at ?? session.revision)
    if (state === undefined) return []
    const { value } = search(state, text, 15).next() // of a large state only the first slice
    return (value || []).map(pointer => ({ label: pointer, hint: "in the state", act: () => showInState(pointer) }))
}

/** Finds anything by its name: commands, actions, revisions, the state, sessions. */
export function openPalette() {
    const box = mark(input({ type: "search", placeholder: "A command, an action, #12, a key or value of the state" }), {
        role: "combobox", "aria-expanded": true, "aria-controls": "options", "aria-label": "Search everything" })
    const options = mark(make("div", "options"), { id: "options", role: "listbox", "aria-label": "Found" })
    /** @type {Offer[]} */
    let all = []
    let place = 0
    const paint = () => {
        options.replaceChildren(...all.map((offer, i) => {
            const option = mark(make("div", "line", make("span", "gap", offer.label), make("span", "dim", offer.hint)), {
                role: "option", "aria-selected": i === place, id: "option-" + i })
            option.addEventListener("click", () => run(offer))
            return option
        }))
        mark(box, { "aria-activedescendant": "option-" + place })
        options.children[place]?.scrollIntoView({ block: "nearest" })
    }
    const run = (/** @type {Offer | undefined} */ offer) => {
        dialog.close()
        offer?.act()
    }
    const find = () => {
        all = offers(box.value.trim())
        place = 0
        paint()
    }
    box.addEventListener("input", find)
    box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (by && all.length) place = (place + by + all.length) % all.length
        else if (event.key === "Enter") run(all[place])
        else return
        event.preventDefault()
        if (by) paint()
    })
    box.style.width = "100%"
    const dialog = openDialog("Search", [box, options])
    box.focus()
    find()
}
