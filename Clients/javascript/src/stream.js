import { createAlarm } from "./alarm.js"
import { createConnection, finalReason } from "./connection.js"
import { createParser } from "./sse.js"

/** @typedef {import("./connection.js").ConnectionEvent} ConnectionEvent */
/** @typedef {import("./connection.js").Detail} Detail */
/** @typedef {import("./replay.js").Event} Event */
/** @typedef {import("./sse.js").EventParser} EventParser */
/**
 * @typedef {object} StreamOwner
 * @property {import("./access.js").Access} access
 * @property {import("./options.js").Options} options
 * @property {import("./ledger.js").Ledger} ledger
 * @property {(events: Event[]) => void} deliver takes the events of a read; throws if they do not apply
 * @property {(state: import("./connection.js").ConnectionState) => void} connected
 * @property {(report: {kind: string, [member: string]: any}) => void} report
 */

const patience = 1000 // twice, from the first value to `ready`

/** @param {Response} response @param {string} type */
const isOfType = (response, type) => response.headers.get("Content-Type")?.includes(type)

/**
 * Opens and reads the streams that the connection decides on.
 * @param {import("./environment.js").Environment} environment @param {StreamOwner} owner
 */
export function createStream(environment, owner) {
    const { access, ledger, options } = owner
    const { parse = JSON.parse } = options
    const connection = createConnection(environment.random)
    const alarm = createAlarm(environment, () => step("tick"))
    const readyAlarm = createAlarm(environment, missReady)
    let waits = 0
    let number = 0
    /** @type {AbortController | undefined} */
    let controller
    let shown = connection.state
    let wasCreated = false
    /** @type {Event[]} events that wait for what tells whose actions they contain */
    let held = []
    let isReady = false

    /** @param {ConnectionEvent} event @param {Detail} [detail] */
    function step(event, detail) {
        connection.step(event, environment.now(), detail)
        if (connection.stream !== number) {
            controller?.abort()
            number = connection.stream
            if (number) run(number, (controller = new AbortController()).signal)
        }
        alarm(connection.wake)
        tell()
    }

    /** @param {import("./connection.js").ConnectionState} state of the tab that has the stream */
    function adopt(state) {
        connection.adopt(state)
        tell()
    }

    function tell() {
        if (!number) readyAlarm(Infinity)
        const { state } = connection
        if (state !== shown) owner.connected((shown = state))
    }

    /** @param {number} current @param {AbortSignal} signal */
    async function run(current, signal) {
        const isCurrent = () => current === connection.stream
        const parser = createParser()
        held = []
        isReady = false
        readyAlarm(Infinity)
        try {
            const { id, value } = ledger.confirmed
            const { select, effects, presence, signals, actions } = options
            const query = { select, changes: "patch", sync: ledger.client, effects, presence, signals, actions }
            /** @type {Record<string, string>} */
            const headers = { Accept: "text/event-stream", Prefer: "status" }
            if (id && value !== undefined) headers["Last-Event-ID"] = id
            const answer = await access.request("events", { query, headers, signal, cache: "no-store" })
            if (!isCurrent()) return
            const { response } = answer
            if (answer.status !== 200) return await refused(answer, isCurrent)
            if (!isOfType(response, "event-stream")) throw new Error("no event stream")
            await read(/** @type {ReadableStream<Uint8Array>} */ (response.body).getReader(), parser, isCurrent)
        } catch {
            // The loss of a stream is no error: it is opened again.
        }
        if (isCurrent()) step("lost", { retry: parser.retry })
    }

    /**
     * @param {ReadableStreamDefaultReader<Uint8Array>} reader
     * @param {EventParser} parser
     * @param {() => boolean} isCurrent
     */
    async function read(reader, parser, isCurrent) {
        for (;;) {
            const { done, value } = await reader.read()
            if (done || !isCurrent()) return
            step("bytes")
            if (isCurrent()) take(value, parser)
            if (!isCurrent()) return
        }
    }

    /** @param {Uint8Array} bytes @param {EventParser} parser */
    function take(bytes, parser) {
        try {
            const events = parser.feed(bytes).map(({ type, data, id }) => ({ type, id, data: parse(data) }))
            const ready = events.find(({ type }) => type === "ready")?.data
            if (ready) isReady = true
            if (isOfOther(ready?.store)) return
            if (!isReady && events.length && !ledger.confirmed.history) awaitReady(2)
            const wasHeld = held.length
            held.push(...events)
            // An event that names nobody may contain an own entry, which `ready` tells right behind it.
            const mayContain = () => ledger.queue.some(entry => !ledger.contains(entry))
            const isVague = !ready && !wasHeld && events.at(-1)?.data.through === null && mayContain()
            if (held.length && isReady && !isVague) owner.deliver(held.splice(0))
            if (ready) step("ready", ready)
            for (const { type, data } of events) if (type === "closed") close(data.reason, parser)
        } catch (error) {
            // The next stream begins without an id, and so with a state.
            ledger.confirmed = { ...ledger.confirmed, id: undefined }
            owner.report({ kind: "patch", error })
            step("lost", { retry: parser.retry })
        }
    }

    /** @param {number} times */
    function awaitReady(times) {
        waits = times
        readyAlarm(environment.now() + patience)
    }

    /** An older server has no `ready`: its first value has to do. */
    function missReady() {
        if (isReady || !held.length || !connection.stream) return
        // A page that was frozen reads what has come before its timer fires once more.
        if (waits > 1) return awaitReady(1)
        isReady = true
        owner.report({ kind: "old", lacks: "ready" })
        owner.deliver(held.splice(0))
        step("ready")
    }

    /** @param {string} reason @param {EventParser} parser */
    function close(reason, { retry }) {
        if (reason === "expired") access.renew(reason).catch(() => {})
        step("closed", { reason, retry })
    }

    /** @param {string | undefined} store the kind of the session, which `create` does not change */
    function isOfOther(store) {
        const { create = true } = options
        const isOther = store && create !== true && store !== create
        const detail = `The session is of the store ${store}, not ${create}.`
        if (isOther) step("end", { reason: "refused", problem: { detail } })
        return isOther
    }

    /** @param {any} answer @param {() => boolean} isCurrent */
    async function refused(answer, isCurrent) {
        const { status, token } = answer
        let detail = await judge(answer)
        /** @type {ConnectionEvent} */
        let event = detail.reason ? "end" : "lost"
        if (status === 401 && detail.problem) {
            event = (await access.refused(token)) ? "again" : "unauthorized"
        } else if (options.create && detail.reason && (status === 404 || (status === 403 && token && !wasCreated))) {
            wasCreated = true
            const body = options.create === true ? {} : { store: options.create }
            const made = await access.request("", { method: "PUT", body })
            detail = await judge(made)
            if (detail.reason) detail.reason = "refused"
            else event = made.response.ok ? "again" : "lost"
        }
        if (isCurrent()) step(event, detail)
    }

    /**
     * A proxy or a captive portal answers with a status too, but knows nothing of the session.
     * @param {any} answer
     * @returns {Promise<Detail>}
     */
    async function judge({ response, status, atLeast }) {
        const problem = isOfType(response, "problem+json") ? await response.json() : undefined
        return { problem, reason: problem || status === 204 ? finalReason(status) : undefined, atLeast }
    }

    return { connection, step, adopt }
}
