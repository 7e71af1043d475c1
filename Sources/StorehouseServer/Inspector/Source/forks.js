import { app, shownRevision } from "./app.js"
import { $, button, make } from "./dom.js"
import { attempt, openDialog } from "./layers.js"
import { forkWith, isReplayed } from "./model/replay.js"
import { go } from "./navigate.js"
import { forkAnew, notices, tried } from "./replays.js"
import { edit } from "./send.js"
import { ask } from "./server.js"

/** @param {import("./session.js").Session} session @param {number} revision */
async function fork({ document, path }, revision) {
    const made = await ask("POST", path + "/forks", { revision })
    notices.set(made.id, `A fork of ${document.store} ${document.mark?.slice(0, 8) ?? ""} at its #${revision}, which is #0 here.`)
    // It opens on the state that was forked, whatever it has gone on to.
    go(made.id, "/at/0")
}

/**
 * A fork has no effect: the system goes on from a state that waits for one.
 * @param {import("./session.js").Session} session
 */
export function noticeOf({ notice = "", entries, document }) {
    const isInterrupted = document.forkedFrom && notice && entries.get(1)?.origin === "system"
    return notice + (isInterrupted ? " It has gone on at once: what waited for an effect was interrupted." : "")
}

/** Asks what to fork: the shown state, or the session without the shown action, or with another one in its place. */
export function openForks() {
    const { session } = app
    if (!session || session.isOver) return
    const revision = shownRevision()
    const entry = session.entryAt(revision)
    const [result, problem] = [make("div"), make("div", "refusal")]
    const act = (/** @type {string} */ label, /** @type {() => any} */ work, look = "") =>
        button(label, () => attempt(async () => await work() ?? dialog.close(), problem), look)
    const without = async () => {
        const body = forkWith(revision, null, session.revision)
        result.replaceChildren(...await tried(session, body),
            act(`Fork without #${revision}`, () => forkAnew(session, body, `without #${revision} ${entry?.type}`), "main"))
        return result
    }
    const dialog = openDialog("Fork", [
        make("p", "", `A fork is a new session that begins with the state of #${revision}. No effect of this one runs there.`),
        make("p", "", act(`Fork at #${revision}`, () => fork(session, revision), "main")),
        isReplayed(entry) ? make("div", "", make("p", "", `Or see what would have been without ${entry?.type}, or with another action in its place: `
            + "the session is forked before it, and what clients sent after it is sent again."),
        make("p", "line", act(`Without #${revision} …`, without), act(`Edit #${revision} …`, () => {
            dialog.close()
            edit(entry, revision)
            $("unfold").click()
        }))) : "",
        problem, result,
    ])
}

export const startForks = () => $("fork").addEventListener("click", openForks)
