import { app, kind, shownRevision } from "./app.js"
import { $ } from "./dom.js"
import { chosenRefusal } from "./log.js"
import { copyText, openMenu } from "./layers.js"
import { curl, javaScript, link, storehouseSend, swiftTest } from "./model/copies.js"
import { token } from "./server.js"

const base = () => document.baseURI.replace(/[#?].*$/, "").replace(/\/$/, "")

/** @param {import("./session.js").Session} session @param {any} entry */
const where = (session, entry) => ({
    base: base(), session: session.id, needsToken: token !== "",
    action: kind()?.actions.find((/** @type {any} */ { type }) => type === entry.type),
})

export const copies = {
    /** @param {import("./session.js").Session} session @param {any} entry @param {any} before @param {any} after */
    swiftTest: (session, entry, before, after) => swiftTest({ kind: kind() ?? { name: session.document.store }, entry, before, after }),
}

/** The address of what is shown. */
export const linkHere = () => location.href

/** The chosen action as a command. */
export function copyCurl() {
    const { session } = app
    const entry = chosenRefusal ?? session?.entryAt(shownRevision())
    if (session && entry) copyText(curl(entry, where(session, entry)), "the action as curl")
}

function open() {
    const { session } = app
    if (!session) return
    const entry = chosenRefusal ?? session.entryAt(shownRevision())
    const state = session.stateAt(shownRevision()).state
    /** @type {([string, () => void] | [string, () => void, string])[]} */
    const items = !entry || session.isShare ? [] : [
        ["curl", copyCurl, "C"],
        ["storehouse send", () => copyText(storehouseSend(entry, where(session, entry)), "the action as a command")],
        ["JavaScript", () => copyText(javaScript(entry, where(session, entry)), "the action as JavaScript")],
        ["Swift test", () => {
            const before = session.stateAt(entry.revision - 1).state
            copyText(copies.swiftTest(session, entry, before, state), "the action as a test")
        }],
        ["Action as JSON", () => copyText(JSON.stringify({ type: entry.type, payload: entry.payload }), "the action")],
    ]
    items.push(["State as JSON", () => copyText(JSON.stringify(state, null, 2), "the state")],
        ["Link to what is shown", () => copyText(link({ base: base() + "/", session: session.id, ...linked() }), "the link")],
        ["Id of the session", () => copyText(session.id, "the id, which is the right to the session")])
    openMenu($("copy"), items)
}

function linked() {
    const { at, b, q, tab, lock, beside } = app.view
    return { at: at ?? undefined, b: b ?? undefined, q, tab, lock, beside: beside ?? undefined }
}

export const startCopying = () => $("copy").addEventListener("click", open)
