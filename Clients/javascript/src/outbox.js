import { address, authorization, retryAfter } from "./address.js"
import { Alarm } from "./alarm.js"
import { backoff } from "./backoff.js"
import { plainAnswer, plainRequest } from "./plain.js"

/** @typedef {import("./replay.js").Entry} Entry */
/** @typedef {{from: number, isNew?: boolean, entries: Entry[], prior: number}} Request `prior` is the highest number that may have been sent before */
/** @typedef {{status: number, body?: any, retryAfter?: number, token?: string | null}} Answer `status` is 0 if there was none */
/**
 * @typedef {object} OutboxOwner
 * @property {string} url of the session
 * @property {import("./tokens.js").Tokens} tokens
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

/** Sends the entries of the tab that leads: one request at a time, each number until its outcome is known, in order. */
export class Outbox {
    #environment
    #owner
    #alarm
    #isActive = false
    /** @type {AbortController | undefined} of the request in flight */
    #controller
    /** The time before which nothing is sent. */
    #wake = 0
    #failures = 0
    #limit = most
    #notBefore = 0
    #sentAt = 0

    /** @param {import("./environment.js").Environment} environment @param {OutboxOwner} owner */
    constructor(environment, owner) {
        this.#environment = environment
        this.#owner = owner
        this.#alarm = new Alarm(environment, () => this.pump())
    }

    start() {
        this.#isActive = true
        this.pump()
    }

    stop() {
        this.#isActive = false
        this.#controller?.abort()
        this.#controller = undefined
        this.#alarm.set(Infinity)
    }

    /** A request that may have failed for want of a network is repeated without delay. */
    hurry() {
        const soonest = Math.max(this.#environment.now(), this.#notBefore, this.#sentAt + 1000)
        if (this.#failures) this.#wake = Math.min(this.#wake, soonest)
        this.pump()
    }

    async pump() {
        if (!this.#isActive || this.#controller) return
        const now = this.#environment.now()
        const isEarly = now < this.#wake
        this.#alarm.set(isEarly ? this.#wake : Infinity)
        const request = isEarly ? undefined : this.#next(now)
        if (!request) return void (this.#owner.ledger.done.length && this.#owner.flush())
        const controller = (this.#controller = new AbortController())
        const answer = await this.#send(request, controller)
        if (controller === this.#controller) await this.#take(request, answer)
        if (controller !== this.#controller) return
        this.#controller = undefined
        this.pump()
    }

    /** @param {number} now @returns {Request | undefined} */
    #next(now) {
        const { ledger } = this.#owner
        const { last, room, sent: prior, isTold, mustRead } = ledger
        const queue = ledger.queue.filter(({ number = 0 }) => number <= last)
        if (!queue.length && !mustRead) return
        this.#sentAt = now
        if (!isTold) return { from: 1, isNew: true, entries: [], prior }
        const { number: from = last + 1 } = queue[0] ?? {}
        if (mustRead) return { from, entries: [], prior }
        let size = overhead
        const end = queue.findIndex((entry, i) => {
            size += entry.size + 1
            return i && (i >= this.#limit || size > room || entry.number !== from + i)
        })
        const entries = end < 0 ? queue : queue.slice(0, end)
        ledger.sent = Math.max(prior, from + entries.length - 1)
        return { from, entries, prior }
    }

    /** @param {Request} request @param {AbortController} controller @returns {Promise<Answer>} */
    async #send(request, controller) {
        const { setTimeout, clearTimeout, fetch } = this.#environment
        const { url, tokens, ledger } = this.#owner
        const limit = setTimeout(() => controller.abort(), timeout)
        try {
            if (!(await this.#owner.flush())) this.#owner.deposed()
            if (!this.#isActive) return { status: 0 }
            const token = await tokens.get()
            const { client, isPlain } = ledger
            if (isPlain && !request.entries.length) return { status: 200, body: { results: [] } }
            const { resource, body: content, headers } = isPlain ? plainRequest(client, request) : syncRequest(client, request)
            const response = await fetch(address(url, resource), {
                method: "POST", body: content, signal: controller.signal,
                headers: { "Content-Type": "application/json", ...headers, ...authorization(token) },
            })
            const body = await response.json().catch(() => undefined)
            const answer = { status: response.status, body, retryAfter: retryAfter(response), token }
            return isPlain ? plainAnswer(request, answer) : answer
        } catch {
            return { status: 0 }
        } finally {
            clearTimeout(limit)
        }
    }

    /** @param {Request} request @param {Answer} answer */
    async #take(request, { status, body, retryAfter, token }) {
        const { ledger, tokens } = this.#owner
        const { from, entries, prior, isNew } = request
        const code = body?.code
        if (status === 401) {
            ledger.sent = prior
            return this.#renew(token)
        }
        if (status) tokens.accepted()
        if (status === 200 && Array.isArray(body?.results)) return this.#accept(request, body)
        // A status without a problem comes from a proxy, which knows nothing of the outcome.
        if (passing.includes(status) || !code) return this.#wait(retryAfter)
        const isConflict = code === "sequence-conflict"
        if (isConflict || code === "client-forgotten") {
            this.#wait()
            return this.#owner.forgotten(isConflict ? Math.max(prior, from + entries.length - 1) : prior)
        }
        ledger.sent = prior // because nothing of this request was run
        // A server without records is sent one entry at a time.
        if (isNew && (code === "no-such-resource" || status === 405)) return ledger.lackSync()
        const isMissing = status === 404 || status === 410
        if (isMissing || !entries.length) this.#wait()
        if (isMissing) return this.#owner.missing(status)
        if (entries.length > 1) return void (this.#limit = Math.ceil(entries.length / 2))
        const refused = entries.length ? entries : ledger.queue
        this.#owner.decide({
            results: refused.map(({ number: n = 0 }) => ({ n, outcome: "refused", revision: body.revision ?? 0, problem: body })),
        })
    }

    /** @param {Request} request @param {any} body */
    #accept({ isNew, entries }, { results, mark, history, retryAfter = 0 }) {
        const { ledger } = this.#owner
        // What was committed then was lost with its history.
        if (ledger.isGone(history)) return this.#wait()
        this.#failures = 0
        this.#wake = this.#notBefore = this.#environment.now() + retryAfter * 1000
        if (entries.length) this.#limit = Math.min(most, this.#limit * 2)
        else if (!isNew) ledger.mustRead = false
        ledger.isTold = true
        this.#owner.decide({ results: results.map((/** @type {any} */ result) => ({ ...result, history })), history, mark })
    }

    /** @param {string | null | undefined} token that the server refused */
    async #renew(token) {
        try {
            if (await this.#owner.tokens.refused(token)) return
            this.#isActive = false
            this.#owner.unauthorized()
        } catch {
            this.#wait()
        }
    }

    /** @param {number} [atLeast] */
    #wait(atLeast = 0) {
        const { now, random } = this.#environment
        this.#notBefore = now() + atLeast
        this.#wake = now() + Math.max(atLeast, backoff(this.#failures++, 0, random))
    }
}

/** @param {string} client @param {Request} request */
function syncRequest(client, { from, isNew, entries }) {
    const bodies = entries.map(({ actions, ifMatch }) => ({ actions, ifMatch }))
    return { resource: "sync", headers: {}, body: JSON.stringify({ client, new: isNew, from, entries: bodies }) }
}
