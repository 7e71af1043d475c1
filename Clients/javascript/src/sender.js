import { backoff } from "./backoff.js"

/** @typedef {import("./replay.js").Entry & {number: number}} Numbered */
/** @typedef {import("./replay.js").Result} Result */
/**
 * @typedef {object} Request
 * @property {number} from
 * @property {boolean} [isNew]
 * @property {Numbered[]} entries
 * @property {number} prior the highest number that may have been sent before
 */
/** @typedef {{status: number, body?: any, retryAfter?: number}} Answer `status` is 0 if there was none */
/**
 * @typedef {object} Verdict an answer asks this of the owner of the outbox
 * @property {Result[]} [results]
 * @property {{mark?: string, history?: string}} [record]
 * @property {boolean} [isUnauthorized]
 * @property {number} [unknown] the record is gone, and entries up to this number may have been run
 * @property {any} [refused] the problem for which no entry can be sent
 * @property {number} [gone] the status that says that there is no session
 * @property {boolean} [isPlain] the server knows no records
 */

const most = 100
const passing = [0, 408, 429, 500, 502, 503, 504]
const overhead = 150 // bytes of a request without its entries

/** Decides what an outbox sends: one request at a time, each number until its outcome is known, in order. */
export class Sender {
    /** The server has told of the record. Only then are entries sent. */
    isTold = false
    /** The outcomes must be read before anything else is sent. */
    mustRead = false
    isBusy = false
    /** The time before which nothing is sent. */
    wake = 0
    /** The highest number that may have reached the server under this client. */
    sent = 0
    #random
    #failures = 0
    #limit = most
    #notBefore = 0
    #sentAt = 0

    /** @param {() => number} random */
    constructor(random) {
        this.#random = random
    }

    /**
     * @param {Numbered[]} queue undecided entries in order
     * @param {number} last the highest number that was given
     * @param {number} room bytes of a request
     * @param {number} now
     * @returns {Request | undefined}
     */
    next(queue, last, room, now) {
        if (this.isBusy || now < this.wake || !(queue.length || this.mustRead)) return
        this.#sentAt = now
        const prior = this.sent
        if (!this.isTold) return { from: 1, isNew: true, entries: [], prior }
        const from = queue[0]?.number ?? last + 1
        if (this.mustRead) return { from, entries: [], prior }
        let size = overhead
        const end = queue.findIndex((entry, i) => {
            size += entry.size + 1
            return i && (i >= this.#limit || size > room || entry.number !== queue[i - 1].number + 1)
        })
        const entries = end < 0 ? queue : queue.slice(0, end)
        this.sent = Math.max(prior, from + entries.length - 1)
        return { from, entries, prior }
    }

    /** @param {Request} request @param {Answer} answer @param {number} now @returns {Verdict} */
    answered(request, { status, body, retryAfter = 0 }, now) {
        const { entries, prior } = request
        if (status === 200 && Array.isArray(body?.results)) return this.#accept(request, body, now)
        const code = body?.code
        // A status without a problem comes from a proxy, which knows nothing of the outcome.
        if (status !== 401 && (passing.includes(status) || !code)) return this.#wait(now, retryAfter)
        if (code === "sequence-conflict") return this.#forget(now, Math.max(prior, request.from + entries.length - 1))
        this.sent = prior // because nothing of this request was run
        if (status === 401) return { isUnauthorized: true }
        if (code === "client-forgotten") return this.#forget(now, prior)
        // A server without records is sent one entry at a time.
        if (request.isNew && (code === "no-such-resource" || status === 405)) return { isPlain: true }
        if (status === 404 || status === 410) return { gone: status, ...this.#wait(now, 0) }
        if (!entries.length) return { refused: body, ...this.#wait(now, 0) }
        if (entries.length === 1) {
            return { results: [{ n: request.from, outcome: "refused", revision: body.revision ?? 0, problem: body }] }
        }
        this.#limit = Math.ceil(entries.length / 2)
        return {}
    }

    /**
     * The owner had no use for the answer, and the same request is sent again.
     * @param {number} now
     */
    repeat(now) {
        this.#wait(now, 0)
    }

    /**
     * A request that may have failed for want of a network is repeated without delay.
     * @param {number} now
     */
    hurry(now) {
        if (this.#failures) this.wake = Math.min(this.wake, Math.max(now, this.#notBefore, this.#sentAt + 1000))
    }

    /** @param {Request} request @param {any} body @param {number} now @returns {Verdict} */
    #accept({ isNew, entries }, { results, mark, history, retryAfter = 0 }, now) {
        this.#failures = 0
        this.wake = this.#notBefore = now + retryAfter * 1000
        if (!isNew && !entries.length) this.mustRead = false
        if (entries.length) this.#limit = Math.min(most, this.#limit * 2)
        this.isTold = true
        const decided = results.map((/** @type {Result} */ result) => ({ ...result, history }))
        return { results: decided, record: { mark, history } }
    }

    /** @param {number} now @param {number} atLeast @returns {Verdict} */
    #wait(now, atLeast) {
        this.#notBefore = now + atLeast
        this.wake = now + Math.max(atLeast, backoff(this.#failures++, 0, this.#random))
        return {}
    }

    /** @param {number} now @param {number} unknown @returns {Verdict} */
    #forget(now, unknown) {
        this.isTold = this.mustRead = false
        this.sent = 0
        return { unknown, ...this.#wait(now, 0) }
    }
}
