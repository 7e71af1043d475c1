/** @typedef {import("./outbox.js").Request} Request */
/** @typedef {import("./outbox.js").Answer} Answer */

// An older server has no `sync`. It takes one entry a request, and knows a repeat by its idempotency key.

/** @param {string} client @param {Request} request */
export function plainRequest(client, { entries: [{ number, actions, ifMatch }] }) {
    /** @type {Record<string, string>} */
    const headers = { "Idempotency-Key": `"${client}-${number}"` }
    if (ifMatch) headers["If-Match"] = `"${ifMatch}"`
    return { resource: "actions", headers, body: actions.length > 1 ? actions : actions[0] }
}

/**
 * The answer in the form of one of `sync`.
 * @param {Request} request @param {Answer} answer
 * @returns {Answer}
 */
export function plainAnswer({ from }, answer) {
    const { status, body } = answer
    const outcomes = { 403: "refused", 412: "mismatched", 422: "refused" }
    const refused = body?.code === "action-rejected" ? "rejected" : /** @type {any} */ (outcomes)[status]
    const outcome = status === 200 ? body?.outcome : body?.code && refused
    if (!outcome) return answer
    const { revision = 0, effects } = body
    const result = { n: from, outcome, revision, effects, problem: status === 200 ? undefined : body }
    return { ...answer, status: 200, body: { results: [result] } }
}
