import { createAlarm } from "./alarm.js"
import { asked, backoff } from "./backoff.js"
import { plainAnswer, plainRequest } from "./plain.js"

/** @typedef {import("./replay.js").Numbered} Numbered */
/** @typedef {{status: number, body?: any, atLeast?: number, token?: string | null}} Answer `status` is 0 if there was none */
/**
 * @typedef {object} Request
 * @property {number} from
 * @property {boolean} [isNew]
 * @property {Numbered[]} entries
 * @property {number} prior the highest number that may have been sent before
 */
/**
 * @typedef {object} OutboxOwner
 * @property {import("./access.js").Access} access
 * @property {import("./ledger.js").Ledger} ledger
 * @property {() => Promise<boolean>} flush writes what a later start must know; false if another tab leads by now
 * @property {() => void} deposed another tab leads by now
 * @property {(decisions: import("./ledger.js").Decisions) => void} decide
 * @property {(unknown: number) => Promise<void>} forgotten the record is gone, and entries up to this number may have been run
 * @property {(status: number) => void} missing the server answers that there is no session
 * @property {() => void} unauthorized
 */

const timeout = 30000
const most = 100
const passing = [0, 408, 429, 500, 502, 503, 504]
const overhead = 150 // bytes of a request without its entries

/**
 * Sends the entries of the tab that leads: one request at a time, each number until its outcome is known, in order.
 * @param {import("./environment.js").Environment} environment @param {OutboxOwner} owner
 */
export function createOutbox(environment, owner) {
    const { ledger, access } = owner
    const { now, random } = environment
    const alarm = createAlarm(environment, pump)
    let isActive = false
    /** @type {AbortController | undefined} of the request in flight */
    let current
    /** The time before which nothing is sent. */
    let wake = 0
    let failures = 0
    let limit = most
    let notBefore = 0
    let sentAt = 0

    function start() {
        isActive = true
        pump()
    }

    function stop() {
        isActive = false
        current?.abort()
        current = undefined
        alarm(Infinity)
    }

    /** A request that may have failed for want of a network is repeated without delay. */
    function hurry() {
        const soonest = Math.max(now(), notBefore, sentAt + 1000)
        if (failures) wake = Math.min(wake, soonest)
        pump()
    }

    async function pump() {
        if (!isActive || current) return
        const isEarly = now() < wake
        alarm(isEarly ? wake : Infinity)
        const request = isEarly ? undefined : next()
        if (!request) return void (ledger.done.length && owner.flush())
        const controller = (current = new AbortController())
        const answer = await send(request, controller)
        if (controller === current) await take(request, answer)
        if (controller !== current) return
        current = undefined
        pump()
    }

    /** @returns {Request | undefined} */
    function next() {
        const { last, room, sent: prior, isTold, mustRead } = ledger
        const queue = ledger.queue.filter(({ number }) => number <= last)
        if (!queue.length && !mustRead) return
        sentAt = now()
        if (!isTold) return { from: 1, isNew: true, entries: [], prior }
        const from = queue[0]?.number ?? last + 1
        if (mustRead) return { from, entries: [], prior }
        let size = overhead
        const end = queue.findIndex((entry, i) => {
            size += entry.size + 1
            return i && (i >= limit || size > room || entry.number !== from + i)
        })
        const entries = end < 0 ? queue : queue.slice(0, end)
        ledger.sent = Math.max(prior, from + entries.length - 1)
        return { from, entries, prior }
    }

    /** @param {Request} request @param {AbortController} controller @returns {Promise<Answer>} */
    async function send(request, controller) {
        const deadline = createAlarm(environment, () => controller.abort())
        deadline(now() + timeout)
        try {
            if (!(await owner.flush())) owner.deposed()
            if (!isActive) return { status: 0 }
            const { client, isPlain } = ledger
            if (isPlain && !request.entries.length) return { status: 200, body: { results: [] } }
            const { resource, ...content } = isPlain ? plainRequest(client, request) : syncRequest(client, request)
            const { signal } = controller
            const { response, ...rest } = await access.request(resource, { ...content, method: "POST", signal })
            const answer = { ...rest, body: await response.json().catch(() => undefined) }
            return isPlain ? plainAnswer(request, answer) : answer
        } catch {
            return { status: 0 }
        } finally {
            deadline(Infinity)
        }
    }

    /** @param {Request} request @param {Answer} answer */
    async function take(request, { status, body, atLeast, token }) {
        const { from, entries, prior, isNew } = request
        const code = body?.code
        if (status === 401) {
            ledger.sent = prior
            return renew(token)
        }
        if (status === 200 && Array.isArray(body?.results)) return accept(request, body)
        // A status without a problem comes from a proxy, which knows nothing of the outcome.
        if (passing.includes(status) || !code) return wait(atLeast)
        const isConflict = code === "sequence-conflict"
        if (isConflict || code === "client-forgotten") {
            wait()
            return owner.forgotten(isConflict ? Math.max(prior, from + entries.length - 1) : prior)
        }
        ledger.sent = prior // because nothing of this request was run
        // A server without records is sent one entry at a time.
        if (isNew && (code === "no-such-resource" || status === 405)) return ledger.lackSync()
        const isMissing = status === 404 || status === 410
        if (isMissing || !entries.length) wait()
        if (isMissing) return owner.missing(status)
        if (entries.length > 1) return void (limit = Math.ceil(entries.length / 2))
        const refused = entries.length ? entries : ledger.queue
        const { revision = 0 } = body
        owner.decide({ results: refused.map(({ number: n }) => ({ n, outcome: "refused", revision, problem: body })) })
    }

    /** @param {Request} request @param {any} body */
    function accept({ isNew, from, entries }, { results, mark, history, retryAfter }) {
        // Entries that were committed then were lost with their history.
        if (ledger.isGone(history)) return wait()
        const pause = asked(retryAfter)
        // Without an outcome the request would be repeated at once, for ever.
        if (entries.length && !results.some((/** @type {any} */ result) => result?.n === from)) wait(pause)
        else {
            failures = 0
            wake = notBefore = now() + pause
        }
        if (entries.length) limit = Math.min(most, limit * 2)
        else if (!isNew) ledger.mustRead = false
        ledger.isTold = true
        owner.decide({ results: results.map((/** @type {any} */ result) => ({ ...result, history })), history, mark })
    }

    /** @param {string | null | undefined} token that the server refused */
    async function renew(token) {
        try {
            if (await access.refused(token)) return
            isActive = false
            owner.unauthorized()
        } catch {
            wait()
        }
    }

    /** @param {number} [atLeast] */
    function wait(atLeast = 0) {
        notBefore = now() + atLeast
        wake = now() + Math.max(atLeast, backoff(failures++, 0, random))
    }

    return { start, stop, hurry, pump }
}

/** @param {string} client @param {Request} request */
function syncRequest(client, { from, isNew, entries }) {
    const bodies = entries.map(({ actions, ifMatch }) => ({ actions, ifMatch }))
    return { resource: "sync", body: { client, new: isNew, from, entries: bodies } }
}
