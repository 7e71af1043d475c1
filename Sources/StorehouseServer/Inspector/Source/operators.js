import { app } from "./app.js"
import { button, input, make } from "./dom.js"
import { attempt, toast } from "./layers.js"
import { size } from "./model/rates.js"
import { SessionList } from "./model/sessions.js"
import { go } from "./navigate.js"
import { adminToken, ask, token, useAdminToken, useToken } from "./server.js"

/** @type {SessionList | null} */
let list = null

const undoFor = 5 // seconds until a session that is ended really ends

/** @param {Record<string, any>} page */
function readPage(page) {
    const query = new URLSearchParams("order=used")
    for (const [name, value] of Object.entries(page)) if (value !== undefined && value !== "") query.set(name, value)
    return ask("GET", "admin/sessions?" + query, undefined, { bearer: adminToken })
}

/** The list of all sessions, for whoever has the admin token. */
export function adminPart() {
    const place = make("div")
    const problem = make("div", "refusal")
    const show = () => place.replaceChildren(...(list ? listParts(place, problem, show) : signInParts(problem, show)))
    show()
    return make("div", "", make("h2", "", "For operators"), problem, place)
}

/** @param {import("./model/sessions.js").Wanted} wanted @param {HTMLElement} problem @param {() => void} show */
const search = (wanted, problem, show) => attempt(async () => {
    const found = new SessionList(readPage, wanted)
    await found.more()
    list = found
    show()
}, problem)

/** @param {HTMLElement} problem @param {() => void} show */
function signInParts(problem, show) {
    const box = input({ type: "password", id: "admin-token", size: 34 })
    const form = make("form", "line", make("label", "", "Admin token ", box), make("button", "", "List all sessions"))
    form.addEventListener("submit", (/** @type {Event} */ event) => {
        event.preventDefault()
        useAdminToken(box.value.trim())
        search({}, problem, show)
    })
    return [form]
}

/** @param {HTMLElement} place @param {HTMLElement} problem @param {() => void} show */
function listParts(place, problem, show) {
    const boxes = { store: input({ placeholder: "kind", ariaLabel: "Kind" }), owner: input({ placeholder: "owner", ariaLabel: "Owner" }),
        mark: input({ placeholder: "short name", ariaLabel: "Short name" }) }
    const form = make("form", "line", ...Object.values(boxes), make("button", "", "Search"))
    form.addEventListener("submit", (/** @type {Event} */ event) => {
        event.preventDefault()
        search(Object.fromEntries(Object.entries(boxes).map(([name, box]) => [name, box.value.trim()])), problem, show)
    })
    const sessions = list?.sessions ?? []
    const head = make("tr", "", ...["Kind", "Name", "Owner", "Revision", "Size", "Last used", ""].map(name => make("th", "", name)))
    const table = make("table", "table", make("thead", "", head), make("tbody", "", ...sessions.map(found => row(found, show))))
    const more = list?.isWhole !== false ? "" : button("100 more", () => attempt(async () => {
        await list?.more()
        show()
    }, problem))
    return [form, sessions.length ? table : make("p", "dim", "There are no such sessions."), more]
}

/** @param {any} found @param {() => void} show */
function row(found, show) {
    const end = () => {
        const timer = setTimeout(() => ask("DELETE", "admin/sessions/" + found.id, undefined, { bearer: adminToken })
            .then(() => (list?.remove(found.id), show()), problem => toast(problem.detail ?? `${problem}`)), undoFor * 1000)
        toast(`${found.store} ${found.mark ?? ""} ends in ${undoFor} s.`, { label: "Undo", act: () => clearTimeout(timer) }, undoFor)
    }
    // In token mode a session opens with the admin token, to be looked at.
    const open = () => {
        const isForbidden = token || !app.kinds.length
        if (isForbidden) useToken(adminToken)
        go(found.id, isForbidden ? "?lock=1" : "")
    }
    const cells = [button(found.store, open, "link"), found.mark, found.owner, found.revision, found.stateBytes ? size(found.stateBytes) : "",
        new Date(found.lastActiveAt).toLocaleString(), button("End", end, "danger")]
    return make("tr", "", ...cells.map(cell => make("td", "", cell)))
}

