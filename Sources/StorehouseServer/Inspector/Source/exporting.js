import { app } from "./app.js"
import { make } from "./dom.js"
import { attempt, openDialog, tell, toast } from "./layers.js"
import { parse } from "./model/values.js"
import { go } from "./navigate.js"
import { ask } from "./server.js"

const form = "storehouse-inspector-1"

/** @param {import("./session.js").Session} session */
export const readAll = session => session.whole(size => toast(`${size} actions read`))

/** Writes the whole log that the server has, and the newest state, to a file. Of an ended session it is what is loaded. */
export const exportSession = () => attempt(async () => {
    const { session } = app
    if (!session) return
    await readAll(session)
    const actions = [...session.entries.visible()].filter(({ status }) => status === undefined).reverse()
    const { store, mark, createdAt } = session.document
    const text = JSON.stringify({ form, store, mark, createdAt, revision: session.revision, state: session.state, actions }, null, 1)
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }))
    const link = Object.assign(make("a"), { href: url, download: `${store}-${mark ?? "session"}-${session.revision}.json` })
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 10000)
})

/** @param {any[]} actions @param {string} id @param {HTMLElement} place */
async function sendAll(actions, id, place) {
    /** @type {Node[]} */
    const refused = []
    for (const [i, { revision, type, payload }] of actions.entries()) {
        place.replaceChildren(make("p", "", `${i + 1} of ${actions.length} …`))
        await ask("POST", `sessions/${id}/actions?select=/-`, payload ? { type, payload } : { type }).catch(problem =>
            refused.push(make("li", "bad", `#${revision} ${type}: ${problem.reason ?? problem.code ?? problem.detail}`)))
    }
    return refused
}

/** @param {string} text @param {HTMLElement} place */
async function importText(text, place) {
    const found = parse(text)
    if (found?.form !== form || !Array.isArray(found.actions)) throw { detail: "This is no file of the inspector." }
    const actions = found.actions.filter((/** @type {any} */ { origin }) => (origin ?? "client") === "client")
    const made = await ask("POST", "sessions", { store: found.store })
    const refused = await sendAll(actions, made.id, place)
    if (!refused.length) return made.id
    place.replaceChildren(make("p", "", `${refused.length} of ${actions.length} actions were refused:`), make("ul", "", ...refused))
    return null
}

/** Makes a session of the kind of a file, and sends again what clients had sent. */
export function openImport() {
    const [place, problem] = [make("div"), make("div", "refusal")]
    const box = Object.assign(make("input"), { type: "file", accept: ".json,application/json", id: "import" })
    box.addEventListener("change", () => attempt(async () => {
        const id = await importText(await box.files[0].text(), place)
        if (!id) return
        dialog.close()
        go(id)
    }, problem))
    tell(null, problem)
    const dialog = openDialog("Import", [make("p", "", "Makes a new session of the kind of an exported file, and sends again what clients had sent. "
        + "Secrets are not in such a file."), make("label", "field", "File ", box), problem, place])
}
