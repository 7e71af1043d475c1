import { address, authorization, retryAfter } from "./address.js"
import { Alarm } from "./alarm.js"
import { Connection, finalReason } from "./connection.js"
import { EventParser } from "./sse.js"

/** @typedef {import("./connection.js").ConnectionEvent} ConnectionEvent */
/** @typedef {import("./connection.js").Detail} Detail */
/** @typedef {import("./replay.js").Event} Event */
/**
 * @typedef {object} StreamOwner
 * @property {string} url of the session
 * @property {import("./tokens.js").Tokens} tokens
 * @property {import("./options.js").Options} options
 * @property {import("./ledger.js").Ledger} ledger
 * @property {(events: Event[]) => void} deliver takes the events of a read; throws if they do not apply
 * @property {(state: import("./connection.js").ConnectionState) => void} connected
 * @property {(report: {kind: string, [member: string]: any}) => void} report
 */

const patience = 1000 // twice, from the first value to `ready`

/** Opens and reads the streams that the connection decides on. */
export class Stream {
    connection
    #environment
    #owner
    #alarm
    #readyAlarm
    #waits = 0
    #number = 0
    /** @type {AbortController | undefined} */
    #controller
    #shown
    #wasCreated = false
    /** @type {Event[]} events that wait for what tells whose actions they contain */
    #held = []
    #isReady = false

    /** @param {import("./environment.js").Environment} environment @param {StreamOwner} owner */
    constructor(environment, owner) {
        this.#environment = environment
        this.#owner = owner
        this.connection = new Connection(environment.random)
        this.#shown = this.connection.state
        this.#alarm = new Alarm(environment, () => this.step("tick"))
        this.#readyAlarm = new Alarm(environment, () => this.#missReady())
    }

    /** @param {ConnectionEvent} event @param {Detail} [detail] */
    step(event, detail) {
        const { connection } = this
        connection.step(event, this.#environment.now(), detail)
        if (connection.stream !== this.#number) {
            this.#controller?.abort()
            this.#number = connection.stream
            if (this.#number) this.#run(this.#number, (this.#controller = new AbortController()).signal)
        }
        this.#alarm.set(connection.wake)
        this.#tell()
    }

    /** @param {import("./connection.js").ConnectionState} state of the tab that has the stream */
    adopt(state) {
        this.connection.adopt(state)
        this.#tell()
    }

    #tell() {
        if (!this.#number) this.#readyAlarm.set(Infinity)
        const { state } = this.connection
        if (state !== this.#shown) this.#owner.connected((this.#shown = state))
    }

    /** @param {number} number @param {AbortSignal} signal */
    async #run(number, signal) {
        const isCurrent = () => number === this.connection.stream
        const parser = new EventParser()
        this.#held = []
        this.#isReady = false
        this.#readyAlarm.set(Infinity)
        try {
            const { url, tokens, ledger, options } = this.#owner
            const token = await tokens.get()
            if (!isCurrent()) return
            const { id, value } = ledger.confirmed
            const { select, effects, presence, signals } = options
            const query = { select, changes: "patch", sync: ledger.client, effects, presence, signals }
            /** @type {Record<string, string>} */
            const headers = { Accept: "text/event-stream", Prefer: "status", ...authorization(token) }
            if (id && value !== undefined) headers["Last-Event-ID"] = id
            const target = address(url, "events", query)
            const response = await this.#environment.fetch(target, { headers, signal, cache: "no-store" })
            if (!isCurrent()) return
            const type = response.headers.get("Content-Type") ?? ""
            if (response.status !== 200) return await this.#refused(response, token, type, isCurrent)
            if (!type.startsWith("text/event-stream")) throw new Error("no event stream")
            tokens.accepted()
            await this.#read(/** @type {ReadableStream<Uint8Array>} */ (response.body).getReader(), parser, isCurrent)
        } catch {
            // The loss of a stream is no error: it is opened again.
        }
        if (isCurrent()) this.step("lost", { retry: parser.retry })
    }

    /**
     * @param {ReadableStreamDefaultReader<Uint8Array>} reader
     * @param {EventParser} parser
     * @param {() => boolean} isCurrent
     */
    async #read(reader, parser, isCurrent) {
        for (;;) {
            const { done, value } = await reader.read()
            if (done || !isCurrent()) return
            this.step("bytes")
            if (isCurrent()) this.#take(value, parser)
            if (!isCurrent()) return
        }
    }

    /** @param {Uint8Array} bytes @param {EventParser} parser */
    #take(bytes, parser) {
        const { ledger } = this.#owner
        try {
            const events = parser.feed(bytes).map(({ type, data, id }) => ({ type, id, data: JSON.parse(data) }))
            const ready = events.find(({ type }) => type === "ready")?.data
            if (ready) this.#isReady = true
            if (!this.#isReady && events.length && !ledger.confirmed.history) this.#awaitReady(2)
            const wasHeld = this.#held.length
            this.#held.push(...events)
            // An event that names nobody may contain an own entry, which `ready` tells right behind it.
            const mayContain = () => ledger.queue.some(entry => !ledger.contains(entry))
            const isVague = !ready && !wasHeld && events.at(-1)?.data.through === null && mayContain()
            if (this.#held.length && this.#isReady && !isVague) this.#owner.deliver(this.#held.splice(0))
            if (ready) this.step("ready", ready)
            for (const { type, data } of events) if (type === "closed") this.#close(data.reason, parser)
        } catch (error) {
            // The next stream begins without an id, and so with a state.
            ledger.confirmed = { ...ledger.confirmed, id: undefined }
            this.#owner.report({ kind: "patch", error })
            this.step("lost", { retry: parser.retry })
        }
    }

    /** @param {number} waits */
    #awaitReady(waits) {
        this.#waits = waits
        this.#readyAlarm.set(this.#environment.now() + patience)
    }

    /** An older server has no `ready`: its first value has to do. */
    #missReady() {
        if (this.#isReady || !this.#held.length || !this.connection.stream) return
        // A page that was frozen reads what has come before its timer fires once more.
        if (this.#waits > 1) return this.#awaitReady(1)
        this.#isReady = true
        this.#owner.report({ kind: "old", lacks: "ready" })
        this.#owner.deliver(this.#held.splice(0))
        this.step("ready")
    }

    /** @param {string} reason @param {EventParser} parser */
    #close(reason, { retry }) {
        const { tokens } = this.#owner
        if (reason === "expired") tokens.renew(reason).catch(() => {})
        this.step("closed", { reason, retry })
    }

    /**
     * @param {Response} response
     * @param {string | null | undefined} token
     * @param {string} type
     * @param {() => boolean} isCurrent
     */
    async #refused(response, token, type, isCurrent) {
        const { tokens, options } = this.#owner
        const { status } = response
        // A proxy or a captive portal answers with a status too, but knows nothing of the session.
        const reason = status === 204 || type.includes("problem+json") ? finalReason(status) : undefined
        /** @type {ConnectionEvent} */
        let event = reason ? "end" : "lost"
        if (status === 401 && type.includes("problem+json")) {
            event = (await tokens.refused(token)) ? "again" : "unauthorized"
        } else if (options.create && reason && (status === 404 || (status === 403 && token && !this.#wasCreated))) {
            this.#wasCreated = true
            event = (await this.#create(token)) ? "again" : "lost"
        }
        if (isCurrent()) this.step(event, { reason, atLeast: retryAfter(response) })
    }

    /** @param {string | null | undefined} token */
    async #create(token) {
        const { url, options } = this.#owner
        const { create } = options
        const headers = { "Content-Type": "application/json", ...authorization(token) }
        const body = JSON.stringify(create === true ? {} : { store: create })
        return (await this.#environment.fetch(address(url, ""), { method: "PUT", headers, body })).ok
    }
}
