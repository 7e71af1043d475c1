import { app, changed } from "./app.js"
import { showChanges } from "./changelist.js"
import { button, make } from "./dom.js"
import { follow } from "./live.js"
import { between } from "./model/changes.js"
import { go, look } from "./navigate.js"
import { ask, pathOf } from "./server.js"

/** @type {{id: string, close: () => void, state?: any, revision?: number, document?: any, problem?: any} | null} */
let other = null
/** @type {any[]} what is shown */
let shown = []

/** @param {string} id */
function open(id) {
    other?.close()
    const mine = (other = /** @type {NonNullable<typeof other>} */ ({ id, close() {} }))
    shown = []
    const stream = follow(pathOf(id), {
        value(state, revision) {
            Object.assign(mine, { state, revision })
            changed("state")
        },
        event() {},
        connected({ status, reason }) {
            if (status === "ended") mine.problem = `It cannot be followed: ${reason}.`
            changed("state")
        },
    }, {})
    mine.close = () => stream.close()
    ask("GET", pathOf(id)).then(found => {
        mine.document = found
        changed("state")
    }, () => {})
}

/**
 * What differs between the state that is shown and the newest one of another session, which is followed too.
 * @param {HTMLElement} place @param {string} id
 */
export function compareBeside(place, id) {
    if (other?.id !== id) open(id)
    const { session } = app
    if (!session || !other) return
    const mine = session.stateAt(app.view.at ?? session.revision).state
    const key = [mine, other.state, other.problem, other.document]
    if (key.every((one, i) => one === shown[i]) && shown.length) return
    shown = key
    const name = other.document ? `${other.document.store} ${other.document.mark.slice(0, 4)}` : "the other session"
    const list = make("ul", "changes")
    if (mine !== undefined && other.state !== undefined) {
        const { changes, isCut } = between(mine, other.state, 200)
        showChanges(list, changes, { isCut, none: "The two states are the same." })
    }
    const own = session.id
    place.replaceChildren(make("div", "line", make("b", "", `Against ${name} at #${other.revision ?? "…"}`),
        make("span", "gap"), button("Go there", () => go(id, `?beside=${own}`)), button("Close", closeBeside)),
        make("p", "note", other.problem ?? "− is here, + is there."), list)
}

export function closeBeside() {
    other?.close()
    other = null
    if (app.view.beside) look({ beside: null })
}
