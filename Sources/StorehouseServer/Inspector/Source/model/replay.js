/** @typedef {import("./entries.js").Entry} Entry */
/** @typedef {{revision: number, type: string, outcome: string, reason?: string}} Outcome */
/** @typedef {{revision: number, type: string, outcome: string, isDone: boolean, text: string}} Row */

/** @param {Entry | undefined} entry @returns {boolean} whether a replay sends it, so that it can be left out */
export const isReplayed = entry => entry !== undefined && entry.status === undefined && (entry.origin ?? "client") === "client"

/**
 * The body of `POST …/forks` for a session that goes on without some actions of clients.
 * @param {import("./entries.js").Entries} entries
 * @param {number | undefined} at the revision to fork at; before the first action that is left out, if undefined
 * @param {Iterable<number>} skip revisions @param {number} [through] the last revision that is sent again
 * @returns {{revision: number, replay: {skip: number[], through: number}}}
 */
export function forkWithout(entries, at, skip, through = entries.newest) {
    const all = [...new Set(skip)].filter(revision => isReplayed(entries.get(revision))).sort((a, b) => a - b)
    const revision = at ?? (all.length ? all[0] - 1 : through)
    return { revision, replay: { skip: all.filter(skipped => skipped > revision && skipped <= through), through } }
}

/**
 * The list of what became of each action.
 * @param {{replay?: Outcome[]}} document the answer of `POST …/forks` @returns {Row[]}
 */
export const outcomes = ({ replay = [] }) => replay.map(({ revision, type, outcome, reason }) => {
    const isDone = outcome === "committed" || outcome === "ignored"
    return { revision, type, outcome, isDone, text: reason ? `${outcome}: ${reason}` : outcome }
})
