/** An error of this module. `name` says which. */
export class StorehouseError extends Error {
    /** @param {string} message @param {object} [members] */
    constructor(message, members) {
        super(message)
        Object.assign(this, members)
    }
}

// The names are members of their own, because a minified class has none.
/** @param {string} name */
const named = name =>
    class extends StorehouseError {
        name = name
    }

/** The server decided against an entry. It has `outcome`, `reason`, `revision` and `problem`. */
export const ActionRejected = named("ActionRejected")

/** The server no longer knows whether an entry was committed. */
export const OutcomeUnknown = named("OutcomeUnknown")

/** The outbox has no room, or the entry is larger than any request may be. */
export const OutboxFull = named("OutboxFull")

/** The connection has ended before the entry was decided. It has the `reason`, and the `problem` if the server told one. */
export const ConnectionEnded = named("ConnectionEnded")

/** @param {import("./connection.js").ConnectionState} state */
export const ended = ({ reason, problem }) =>
    new ConnectionEnded(problem?.detail ?? "the connection has ended", { reason, problem })

/** @param {import("./replay.js").Entry} entry */
export const unknown = ({ actions }) => new OutcomeUnknown("the outcome is unknown", { actions, action: actions[0] })

/**
 * @param {import("./replay.js").Result} result
 * @param {import("./replay.js").Entry} entry
 */
export function refusal({ outcome, revision, problem = {} }, { actions }) {
    const reason = problem.reason ?? problem.code ?? outcome
    const action = actions[problem.index ?? 0]
    return new ActionRejected(problem.detail ?? reason, { outcome, reason, revision, problem, action, actions })
}
