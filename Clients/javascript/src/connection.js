import { backoff } from "./backoff.js"

/** @typedef {"connecting" | "live" | "reconnecting" | "offline" | "unauthorized" | "ended"} Status */
/** @typedef {{status: Status, isStale: boolean, since?: number, reason?: string}} ConnectionState */
/**
 * @typedef {"start" | "stop" | "tick" | "bytes" | "ready" | "lost" | "closed" | "poke" | "online" | "offline"
 *     | "hidden" | "visible" | "pagehide" | "again" | "unauthorized" | "end" | "renew"} ConnectionEvent
 */
/** @typedef {{reason?: string, heartbeat?: number, retry?: number, atLeast?: number}} Detail */

const grace = 5000 // until a loss is called offline
const settled = 10000 // a server that accepts and closes must not reset the backoff
const hiddenFor = 60000
const headLimit = 10000
const pause = 1000 // between attempts that something asked for

/** @type {Record<number, string>} statuses of a stream that are final */
const finals = { 204: "session-ended", 403: "forbidden", 404: "not-found", 410: "session-ended" }

/** @param {number} status @returns {string | undefined} the reason for which a stream has ended */
export const finalReason = status => finals[status]

/**
 * Decides when a stream is open, and what the connection is called. It does nothing itself: after each step its owner
 * opens or aborts, so that `stream` is the number of the open stream, and comes back at `wake`.
 */
export class Connection {
    /** @type {ConnectionState} replaced whenever it changes */
    state = { status: "connecting", isStale: true }
    stream = 0
    #random
    #count = 0
    #isActive = false
    #isOnline = true
    #failures = 0
    #retryAt = Infinity
    #notBefore = 0
    #openedAt = -Infinity
    #byteAt = 0
    #hasBytes = false
    #turnAt = 0
    #liveAt = 0
    #hiddenAt = Infinity
    #heartbeat = 15000

    /** @param {() => number} random */
    constructor(random) {
        this.#random = random
    }

    /** The time at which the next step is due, if nothing happens before. */
    get wake() {
        const { status, since = 0 } = this.state
        return Math.min(
            this.stream ? Math.min(this.#silentAt, this.#turnAt + this.#heartbeat) : this.#retryAt,
            status === "reconnecting" ? since + grace : Infinity,
            this.isPaused ? Infinity : this.#hiddenAt + hiddenFor,
        )
    }

    /** Whether the page has been hidden for so long that it has no stream. */
    get isPaused() {
        return this.#hiddenAt === -Infinity
    }

    get #isLive() {
        return this.state.status === "live"
    }

    get #silentAt() {
        return this.#byteAt + (this.#hasBytes ? 2.5 * this.#heartbeat : headLimit)
    }

    /** @param {ConnectionEvent} event @param {number} now @param {Detail} [detail] */
    step(event, now, detail = {}) {
        if (this.state.status === "ended") return
        // Timers come at least once a heartbeat, so a longer pause means that the page was frozen.
        const wasFrozen = this.stream && now - this.#turnAt > 2 * this.#heartbeat
        this.#turnAt = now
        if (wasFrozen) this.#lose(now, 0)
        if (!wasFrozen || !["bytes", "ready", "lost", "closed"].includes(event)) this.#take(event, now, detail)
        this.#advance(now)
    }

    /**
     * A tab that follows another shows the connection of that one.
     * @param {ConnectionState} state
     */
    adopt(state) {
        const { status, since } = this.state
        if (status !== "ended" && (status !== state.status || since !== state.since)) this.state = state
    }

    /** @param {ConnectionEvent} event @param {number} now @param {Detail} detail */
    #take(event, now, { reason = "", heartbeat, retry = 0, atLeast = 0 }) {
        switch (event) {
            case "start":
                this.#isActive = true
                if (!this.stream) this.#retryAt = now
                break
            case "stop":
                this.#isActive = false
                this.#lose(now, Infinity)
                break
            case "bytes":
                this.#byteAt = now
                this.#hasBytes = true
                break
            case "ready":
                if (heartbeat) this.#heartbeat = heartbeat * 1000
                if (!this.#isLive) this.#liveAt = now
                this.#show("live")
                break
            case "lost":
                this.#fail(now, retry, atLeast)
                break
            case "closed":
                if (reason === "session-ended" || reason === "revoked") this.#end(reason)
                else if (reason === "rotated" || reason === "expired") this.#lose(now, this.#openedAt + pause - now)
                else this.#fail(now, retry, Math.max(retry, atLeast))
                break
            case "again":
                if (this.stream) this.#lose(now, 0)
                break
            case "offline":
                this.#isOnline = false
                this.#fail(now, retry, 0)
                this.#show("offline", now)
                break
            case "hidden":
                if (!this.isPaused) this.#hiddenAt = Math.min(now, this.#hiddenAt)
                break
            case "pagehide":
                this.#pause(now)
                break
            case "unauthorized":
                this.#close()
                this.#show("unauthorized", now)
                break
            case "renew":
                if (this.state.status === "unauthorized") this.#show("reconnecting", now)
                this.#hurry(now)
                break
            case "end":
                this.#end(reason)
                break
            case "visible":
                this.#hiddenAt = Infinity
                this.#hurry(now)
                break
            case "online":
                this.#isOnline = true
                this.#hurry(now)
                break
            case "poke":
                this.#hurry(now)
        }
    }

    /** @param {number} now */
    #advance(now) {
        if (!this.isPaused && now >= this.#hiddenAt + hiddenFor) this.#pause(now)
        if (this.stream && now >= this.#silentAt) this.#fail(now, 0, 0)
        const { status, since = 0 } = this.state
        if (status === "reconnecting" && now >= since + grace) this.#show("offline", since)
        if (!this.stream && now >= this.#retryAt) this.#open(now)
    }

    /** @param {number} now */
    #open(now) {
        this.stream = ++this.#count
        this.#retryAt = Infinity
        this.#hasBytes = false
        this.#openedAt = this.#byteAt = this.#turnAt = now
    }

    #close() {
        this.stream = 0
        this.#retryAt = Infinity
    }

    /** @param {string} reason */
    #end(reason) {
        this.#close()
        this.#isActive = false
        this.#hiddenAt = Infinity
        this.state = { status: "ended", isStale: true, reason }
    }

    /** @param {number} now */
    #pause(now) {
        this.#hiddenAt = -Infinity
        if (this.#isActive) this.#lose(now, Infinity)
    }

    /** @param {number} now @param {number} delay */
    #lose(now, delay) {
        if (this.#isLive && now - this.#liveAt >= settled) this.#failures = 0
        const wasConnected = this.#isLive || this.state.status === "connecting"
        if (wasConnected) this.#show(this.#isOnline ? "reconnecting" : "offline", now)
        this.stream = 0
        this.#retryAt = now + Math.max(0, delay)
    }

    /** @param {number} now @param {number} retry @param {number} atLeast */
    #fail(now, retry, atLeast) {
        if (!this.#isActive || this.isPaused || this.state.status === "unauthorized") return
        this.#notBefore = now + atLeast
        this.#lose(now, 0)
        this.#retryAt = now + Math.max(atLeast, backoff(this.#failures++, retry, this.#random))
    }

    /** @param {number} now */
    #hurry(now) {
        if (!this.#isActive || this.isPaused || this.state.status === "unauthorized") return
        const isFresh = this.#isLive ? now - this.#byteAt <= this.#heartbeat + pause : now - this.#openedAt < pause
        if (this.stream && isFresh) return
        this.#lose(now, Math.max(this.#openedAt + pause, this.#notBefore) - now)
    }

    /** @param {Status} status @param {number} [since] */
    #show(status, since) {
        if (status === this.state.status) return
        this.state = status === "live" ? { status, isStale: false } : { status, isStale: true, since }
    }
}
