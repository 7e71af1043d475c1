import { app, shownRevision } from "./app.js"
import { $, button, make } from "./dom.js"
import { attempt, openDialog, tell } from "./layers.js"
import { forkWithout, isReplayed, outcomes } from "./model/replay.js"
import { go } from "./navigate.js"
import { ask } from "./server.js"

/** Sessions that were made here as forks: what to say when they open. @type {Map<string, string>} */
export const notices = new Map()

/** @param {any} made the document of the fork @param {import("./session.js").Session} parent @param {number} revision */
function remember(made, parent, revision) {
    notices.set(made.id, `A fork of ${parent.document.store} ${parent.document.mark?.slice(0, 8) ?? ""} at its #${revision}, which is #0 here.`)
}

/** @param {import("./session.js").Session} session @param {number} revision */
async function fork(session, revision) {
    const made = await ask("POST", session.path + "/forks", { revision })
    remember(made, session, revision)
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

/** @param {ReturnType<typeof outcomes>} rows @param {number} skipped */
function table(rows, skipped) {
    const looks = /** @type {Record<string, string>} */ ({ committed: "good", ignored: "dim", skipped: "warn" })
    const done = rows.filter(({ isDone }) => isDone).length
    return make("div", "", make("p", "", `Without #${skipped}: ${done} of ${rows.length} later actions of clients would be committed.`),
        make("ul", "mono", ...rows.slice(0, 500).map(row =>
            make("li", "line", `#${row.revision} ${row.type}`, make("span", "gap"), make("span", looks[row.outcome] ?? "bad", row.text)))))
}

/** @param {import("./session.js").Session} session @param {number} revision @param {any} entry */
async function showWithout(session, revision, entry, /** @type {HTMLElement} */ place, /** @type {() => void} */ close) {
    const through = session.revision
    place.replaceChildren(make("p", "dim", "Trying …"))
    try {
        await session.entries.ensure(revision)
        const body = forkWithout(session.entries, revision - 1, [revision], through)
        const tried = await ask("POST", session.path + "/forks?dryRun=true", body)
        const make_ = button(`Fork without #${revision}`, () => attempt(async () => {
            const made = await ask("POST", session.path + "/forks", body)
            remember(made, session, revision - 1)
            const failed = outcomes(made).filter(({ isDone }) => !isDone)
            notices.set(made.id, `The session as it would be without #${revision} ${entry.type}. ${failed.length
                ? `Not committed: ${failed.map(row => `#${row.revision} ${row.type} (${row.text})`).join(", ")}` : "All later actions were committed."}`)
            close()
            go(made.id, `?beside=${session.id}`)
        }, place), "main")
        place.replaceChildren(table(outcomes(tried), revision), make("p", "", make_))
    } catch (problem) {
        tell(problem, place)
    }
}

/** Asks what to fork: the shown state, or the session without the shown action. */
export function openForks() {
    const { session } = app
    if (!session || session.isOver) return
    const revision = shownRevision()
    const entry = session.entryAt(revision)
    const result = make("div")
    const dialog = openDialog("Fork", [
        make("p", "", `A fork is a new session that begins with the state of #${revision}. No effect of this one runs there.`),
        make("p", "", button(`Fork at #${revision}`, () => attempt(async () => {
            await fork(session, revision)
            dialog.close()
        }, result), "main")),
        isReplayed(entry) ? make("div", "", make("p", "", `Or see what would have been without ${entry?.type}: the session is forked before it, `
            + "and what clients sent after it is sent again."),
        button(`Without #${revision} …`, () => showWithout(session, revision, entry, result, () => dialog.close()))) : "",
        result,
    ])
}

export const startForks = () => $("fork").addEventListener("click", openForks)
