import { app, changed, onChange } from "./app.js"
import { $, button, field, input, make } from "./dom.js"
import { attempt, copyText, openDialog, tell } from "./layers.js"
import { addressIn } from "./model/address.js"
import { go, shareName } from "./navigate.js"
import { adminPart } from "./operators.js"
import { plain } from "./send.js"
import { ask, token, useToken } from "./server.js"
import { recent } from "./settings.js"

let needsToken = false

/** @param {string} store */
export const begin = store => attempt(async () => go((await ask("POST", "sessions", { store })).id))

/** @param {string} typed */
function openTyped(typed) {
    const { session, share } = addressIn(typed)
    if (!session && !share) return tell({ detail: "There is no id of a session in this." })
    tell(null)
    go(share ? shareName(share) : session ?? "")
}

/** @param {any} kind */
function card(kind) {
    const types = kind.actions.filter((/** @type {any} */ { audience }) => audience !== "internal").slice(0, 3).map((/** @type {any} */ { type }) => type)
    const element = make("button", "card", make("b", "", kind.name), make("p", "", plain(kind.summary ?? "")), make("code", "", types.join("  ")))
    element.type = "button"
    element.addEventListener("click", () => begin(kind.name))
    return make("li", "", element)
}

function openForm() {
    const box = input({ id: "id", placeholder: "an id, or an address with one or a share", size: 34 })
    const form = make("form", "line", make("label", "", "Open ", box), make("button", "", "Open"))
    form.addEventListener("submit", (/** @type {Event} */ event) => (event.preventDefault(), openTyped(box.value)))
    return form
}

/** @param {() => void} again */
function recentPart(again) {
    const all = recent.list()
    const rows = all.map(({ id, store, at, title }) => make("li", "",
        button(`${store} ${title ?? ""}`, () => go(id), "link"), make("span", "dim", new Date(at).toLocaleString()),
        button("Forget", () => (recent.remove(id), again()), "plain")))
    const toggle = button(recent.isOn ? "Do not remember sessions here" : "Remember sessions in this browser", () => {
        recent.isOn = !recent.isOn
        again()
    }, "link")
    return make("div", "", make("h2", "", "Recent sessions of this browser"),
        rows.length ? make("ul", "recent", ...rows) : make("p", "dim", recent.isOn ? "None yet." : "They are not remembered."), make("p", "", toggle))
}

/** A server in token mode wants one before all else. */
function signIn() {
    const box = input({ type: "password", id: "token", size: 40, placeholder: "a JSON Web Token" })
    const problem = make("div", "refusal")
    const form = make("form", "line", make("label", "", "Token ", box), make("button", "main", "Sign in"))
    form.id = "enter"
    form.addEventListener("submit", (/** @type {Event} */ event) => {
        event.preventDefault()
        const before = token
        useToken(box.value.trim())
        attempt(async () => {
            try {
                await loadKinds()
            } catch (error) {
                useToken(before)
                throw error
            }
            needsToken = false
            signedIn()
        }, problem)
    })
    return [make("h2", "", "Sign in"), make("p", "", "This server gives out sessions for a token. It stays in the memory of this page only."), form, problem]
}

/** @type {() => void} */
let signedIn = () => {}
/** @param {() => void} act goes on once there is a token */
export const onSignIn = act => void (signedIn = act)

/** The server wants a token, at the beginning or later. */
export function wantToken() {
    if (needsToken) return
    needsToken = true
    if (app.session) openDialog("Sign in", signIn().slice(1))
    changed("kinds")
}

export async function loadKinds() {
    app.kinds = (await ask("GET", "stores")).stores
    changed("kinds", "session")
}

function paintStart() {
    const isOpen = !!app.session
    if (app.isOpening) return
    $("start").hidden = isOpen
    $("session").hidden = !isOpen
    $("views").hidden = !isOpen
    for (const name of ["find", "shares"]) $(name).hidden = !isOpen
    if (isOpen) return $("start").replaceChildren()
    if (needsToken && !app.kinds.length) return $("start").replaceChildren(...signIn(), adminPart())
    const line = `storehouse send ${location.origin}/sessions/ID ${app.kinds[0]?.actions[0]?.type ?? "counter/increment"}`
    $("start").replaceChildren(
        make("p", "lead", "A session is one store on the server: a state, the actions that change it, and everybody who watches it. "
            + "Choose its kind to begin one."),
        make("ul", "cards", ...app.kinds.map(card)), make("h2", "", "Open a session"), openForm(), recentPart(paintStart),
        make("h2", "", "In a terminal"), make("p", "line", make("code", "", line), button("Copy", () => copyText(line, "the command"))),
        adminPart())
    $("start").querySelector(".card")?.focus({ preventScroll: true })
}

/** Other sessions, and new ones, without leaving this one before. */
export function openSwitcher() {
    const { session } = app
    if (!session || session.isShare) return go("")
    const parent = session.document.forkedFrom
    const select = make("select", "", ...app.kinds.map(({ name }) => make("option", "", name)))
    select.value = session.document.store
    const others = recent.list().filter(({ id }) => id !== session.id)
    const dialog = openDialog("Sessions", [
        make("p", "", make("b", "", session.document.store), ` ${session.document.mark ?? ""}`, parent ? `, a fork of another session at its #${parent.revision}` : "",
            `, created ${new Date(session.document.createdAt).toLocaleString()}`),
        make("p", "", button("Copy its id", () => copyText(session.id, "the id, which is the right to the session"))),
        make("div", "line", field("Kind", select), button("Create a session", () => (dialog.close(), begin(select.value)), "main")),
        openForm(), make("h3", "", "Recent"),
        make("ul", "recent", ...others.map(({ id, store, title, at }) => make("li", "",
            button(`${store} ${title ?? ""}`, () => (dialog.close(), go(id)), "link"), make("span", "dim", new Date(at).toLocaleString()),
            button("Beside this one", () => (dialog.close(), go(session.id, `?beside=${id}`)), "plain")))),
        make("p", "", button("All kinds", () => (dialog.close(), go("")))),
    ])
    dialog.element.addEventListener("submit", () => dialog.close())
}

export function startSessions() {
    $("chip").addEventListener("click", () => app.session ? openSwitcher() : $("id")?.focus())
    onChange(["kinds"], () => app.session || paintStart())
    onChange(["session"], paintStart)
}

