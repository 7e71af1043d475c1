import { address, authorization, retryAfter } from "./address.js"
import { Alarm } from "./alarm.js"
import { plainAnswer, plainRequest } from "./plain.js"
import { Sender } from "./sender.js"

/** @typedef {import("./sender.js").Numbered} Numbered */
/** @typedef {import("./sender.js").Request} Request */
/** @typedef {import("./sender.js").Answer & {token?: string | null}} Answer */
/**
 * @typedef {object} OutboxOwner
 * @property {string} url of the session
 * @property {import("./tokens.js").Tokens} tokens
 * @property {() => Numbered[]} queue entries without an outcome, in order
 * @property {(verdict: import("./sender.js").Verdict) => void | Promise<void>} take
 * @property {() => void} unauthorized
 * @property {() => void} deposed another tab leads by now
 * @property {(error: unknown) => void} failed
 */

const timeout = 30000

/** Sends the entries of the tab that leads. */
export class Outbox {
    sender
    client = ""
    /** The highest number up to which each entry is known. */
    last = 0
    /** Bytes that a request may have. */
    room = 65536
    /** @type {number[]} numbers whose rows are of no use */
    done = []
    /** The server keeps no records: idempotency keys stand in, for as long as it keeps those. */
    isPlain = false
    /** @type {import("./memory.js").Storage} */
    storage
    #environment
    #owner
    #alarm
    #term = 0
    #isActive = false
    /** @type {AbortController | undefined} */
    #controller

    /** @param {import("./environment.js").Environment} environment @param {OutboxOwner} owner @param {any} storage */
    constructor(environment, owner, storage) {
        this.#environment = environment
        this.#owner = owner
        this.storage = storage
        this.sender = new Sender(environment.random)
        this.#alarm = new Alarm(environment, () => this.pump())
    }

    start() {
        this.#isActive = true
        this.pump()
    }

    stop() {
        this.#isActive = this.sender.isBusy = false
        this.#term++
        this.#controller?.abort()
        this.#alarm.set(Infinity)
    }

    hurry() {
        this.sender.hurry(this.#environment.now())
        this.pump()
    }

    async pump() {
        if (!this.#isActive) return
        const { sender } = this
        const now = this.#environment.now()
        const queue = this.#owner.queue().filter(({ number }) => number <= this.last)
        const request = sender.next(queue, this.last, this.room, now)
        this.#alarm.set(!request && sender.wake > now ? sender.wake : Infinity)
        if (!request) return void (sender.isBusy || !this.done.length || this.flush())
        const term = this.#term
        sender.isBusy = true
        const answer = await this.#send(request)
        if (term !== this.#term) return
        await this.#take(request, answer)
        if (term !== this.#term) return
        sender.isBusy = false
        this.pump()
    }

    /** @param {Request} request @param {Answer} answer */
    async #take(request, answer) {
        const verdict = this.sender.answered(request, answer, this.#environment.now())
        if (!verdict.isUnauthorized) {
            if (answer.status) this.#owner.tokens.accepted()
            return this.#owner.take(verdict)
        }
        try {
            if (await this.#owner.tokens.refused(answer.token)) return
            this.#isActive = false
            this.#owner.unauthorized()
        } catch {
            this.sender.answered(request, { status: 0 }, this.#environment.now())
        }
    }

    /** @param {Request} request @returns {Promise<Answer>} */
    async #send(request) {
        const { signal } = (this.#controller = new AbortController())
        const clock = this.#environment
        const limit = clock.setTimeout(() => this.#controller?.abort(), timeout)
        try {
            if (!(await this.flush())) this.#owner.deposed()
            if (!this.#isActive) return { status: 0 }
            const token = await this.#owner.tokens.get()
            if (this.isPlain && !request.entries.length) return { status: 200, body: { results: [] } }
            const headers = { "Content-Type": "application/json", ...authorization(token) }
            const { resource, ...init } = this.isPlain ? plainRequest(this.client, request) : this.#sync(request)
            Object.assign(headers, init.headers)
            const target = address(this.#owner.url, resource)
            const response = await clock.fetch(target, { ...init, method: "POST", headers, signal })
            const answer = { status: response.status, retryAfter: retryAfter(response), token }
            const body = await response.json().catch(() => undefined)
            return this.isPlain ? plainAnswer(request, answer, body) : { ...answer, body }
        } catch {
            return { status: 0 }
        } finally {
            clock.clearTimeout(limit)
        }
    }

    /**
     * Writes what a later start must know before the next request leaves.
     * @returns {Promise<boolean>} false if another tab leads by now
     */
    async flush() {
        const done = this.done.splice(0)
        try {
            return await this.storage.advance(this.sender.sent, done)
        } catch (error) {
            this.#owner.failed(error)
            return true // a disk that fails must not stop entries that can be sent
        }
    }

    /** @param {Request} request */
    #sync({ from, isNew, entries }) {
        const bodies = entries.map(({ actions, ifMatch }) => ({ actions, ifMatch }))
        const body = JSON.stringify({ client: this.client, new: isNew, from, entries: bodies })
        return { resource: "sync", headers: {}, body }
    }
}
