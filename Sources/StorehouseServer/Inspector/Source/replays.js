import { make } from "./dom.js"
import { outcomes } from "./model/replay.js"
import { go } from "./navigate.js"
import { ask } from "./server.js"

/** Sessions that were made here as forks: what to say when they open. @type {Map<string, string>} */
export const notices = new Map()

const looks = /** @type {Record<string, string>} */ ({ committed: "good", ignored: "dim", skipped: "warn" })

/**
 * Tries a fork, and lists its outcomes for the later actions.
 * @param {import("./session.js").Session} session @param {any} body of the fork @param {AbortSignal} [signal]
 * @returns {Promise<Node[]>}
 */
export async function tried(session, body, signal) {
    const rows = outcomes(await ask("POST", session.path + "/forks?dryRun=true", body, { signal }))
    const done = rows.filter(({ isDone }) => isDone).length
    return [make("p", "", `${done} of ${rows.length} later actions of clients would be committed.`),
        make("ul", "mono", ...rows.slice(0, 500).map(row =>
            make("li", "line", `#${row.revision} ${row.type}`, make("span", "gap"), make("span", looks[row.outcome] ?? "bad", row.text))))]
}

/**
 * Makes the fork, and opens it beside the session.
 * @param {import("./session.js").Session} session @param {any} body @param {string} words how it differs
 */
export async function forkAnew(session, body, words) {
    const made = await ask("POST", session.path + "/forks", body)
    const failed = outcomes(made).filter(({ isDone }) => !isDone).map(row => `#${row.revision} ${row.type} (${row.text})`)
    notices.set(made.id, `The session as it would be ${words}. ${failed.length ? `Not committed: ${failed.join(", ")}` : "All later actions were committed."}`)
    go(made.id, `?beside=${session.id}`)
}
