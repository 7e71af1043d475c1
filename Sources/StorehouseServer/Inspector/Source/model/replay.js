/** @typedef {import("./entries.js").Entry} Entry */
/** @typedef {{revision: number, type: string, outcome: string, reason?: string}} Outcome */
/** @typedef {{revision: number, type: string, outcome: string, isDone: boolean, text: string}} Row */

/** @param {Entry | undefined} entry @returns {boolean} whether a replay sends it, so that it can be left out or edited */
export const isReplayed = entry => entry !== undefined && entry.status === undefined && (entry.origin ?? "client") === "client"

/**
 * The body of `POST …/forks` for a session that continues without an action of a client, or with another one in its place.
 * @param {number} revision @param {any} action null for none @param {number} through the last revision that is sent again
 */
export const forkWith = (revision, action, through) =>
    ({ revision: revision - 1, replay: { ...(action ? { replace: { [revision]: action } } : { skip: [revision] }), through } })

/**
 * The list of what became of each action.
 * @param {{replay?: Outcome[]}} document the answer of `POST …/forks` @returns {Row[]}
 */
export const outcomes = ({ replay = [] }) => replay.map(({ revision, type, outcome, reason }) => {
    const isDone = outcome === "committed" || outcome === "ignored"
    return { revision, type, outcome, isDone, text: reason ? `${outcome}: ${reason}` : outcome }
})
