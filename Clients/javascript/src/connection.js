import { backoff } from "./backoff.js"

/** @typedef {"connecting" | "live" | "reconnecting" | "offline" | "unauthorized" | "ended"} Status */
/** @typedef {{status: Status, isStale: boolean, since?: number, reason?: string, problem?: any}} ConnectionState */
/**
 * @typedef {"start" | "stop" | "tick" | "bytes" | "ready" | "lost" | "closed" | "poke" | "online" | "offline"
 *     | "hidden" | "visible" | "pagehide" | "again" | "unauthorized" | "end" | "renew"} ConnectionEvent
 */
/** @typedef {{reason?: string, problem?: any, heartbeat?: number, retry?: number, atLeast?: number}} Detail */

const grace = 5000 // until a loss is called offline
const settled = 10000 // a server that accepts and closes must not reset the backoff
const hiddenFor = 60000
const headLimit = 10000
const pausing = 1000 // between attempts that something asked for

/** @type {Record<number, string>} statuses of a stream that are final */
const finals = { 204: "session-ended", 403: "forbidden", 404: "not-found", 410: "session-ended" }

/**
 * The reason for which asking again is in vain, if it is.
 * @param {number} status of the server, and not of a proxy
 * @returns {string | undefined}
 */
export const finalReason = status => finals[status] ?? (/^4(?!01|08|29)/.test(/** @type {any} */ (status)) ? "refused" : undefined)

/** @typedef {ReturnType<typeof createConnection>} Connection */

/**
 * Decides when a stream is open, and what the connection is called. It does nothing itself: after each step its owner
 * opens or aborts, so that `stream` is the number of the open stream, and comes back at `wake`.
 * @param {() => number} random
 */
export function createConnection(random) {
    /** @type {ConnectionState} replaced whenever it changes */
    let state = { status: "connecting", isStale: true }
    let stream = 0
    let count = 0
    let now = 0
    let isActive = false
    let isOnline = true
    let failures = 0
    /** Whether a stream was opened without a pause, and is not live yet. */
    let wentOn = false
    let retryAt = Infinity
    let notBefore = 0
    let openedAt = -Infinity
    let byteAt = 0
    let hasBytes = false
    let turnAt = 0
    let liveAt = 0
    let hiddenAt = Infinity
    let heartbeat = 15000

    const is = (/** @type {Status} */ status) => state.status === status
    /** Whether the page has been hidden for so long that it has no stream. */
    const isPaused = () => hiddenAt === -Infinity
    const isIdle = () => !isActive || isPaused() || is("unauthorized")
    const silentAt = () => byteAt + (hasBytes ? 2.5 * heartbeat : headLimit)
    const offlineAt = () => (is("reconnecting") ? (state.since ?? 0) + grace : Infinity)
    const pauseAt = () => (isPaused() ? Infinity : hiddenAt + hiddenFor)

    /** @type {Record<ConnectionEvent, (detail: Detail) => void>} */
    const take = {
        start() {
            isActive = true
            // A tab that has only followed another one asks with a token of its own.
            if (is("unauthorized")) show("reconnecting")
            if (!stream && !isPaused()) retryAt = now
        },
        stop() {
            isActive = false
            lose()
        },
        tick() {},
        bytes() {
            byteAt = now
            hasBytes = true
        },
        ready(detail) {
            if (detail.heartbeat) heartbeat = detail.heartbeat * 1000
            wentOn = false
            if (!is("live")) liveAt = now
            show("live")
        },
        lost: fail,
        closed({ reason = "", retry = 0 }) {
            if (reason === "session-ended" || reason === "revoked") end({ reason })
            else if (reason === "rotated" || reason === "expired") lose(openedAt + pausing)
            else fail({ retry, atLeast: retry })
        },
        again() {
            if (!stream) return
            // If it did not help, the next attempt waits as after a loss.
            if (wentOn) fail()
            else lose(now)
            wentOn = true
        },
        offline() {
            isOnline = false
            fail()
            show("offline")
        },
        hidden() {
            if (!isPaused()) hiddenAt = Math.min(now, hiddenAt)
        },
        pagehide: pause,
        unauthorized() {
            lose()
            show("unauthorized")
        },
        renew() {
            if (is("unauthorized")) show("reconnecting")
            hurry()
        },
        end,
        visible() {
            hiddenAt = Infinity
            hurry()
        },
        online() {
            isOnline = true
            hurry()
        },
        poke: hurry,
    }

    /** Does what is due. */
    function advance() {
        if (now >= pauseAt()) pause()
        if (stream && now >= silentAt()) fail()
        if (now >= offlineAt()) show("offline", state.since)
        if (stream || now < retryAt) return
        stream = ++count
        retryAt = Infinity
        hasBytes = false
        openedAt = byteAt = turnAt = now
    }

    /** @param {Detail} detail */
    function end({ reason, problem }) {
        stream = 0
        isActive = false
        hiddenAt = retryAt = Infinity
        state = { status: "ended", isStale: true, reason, ...(problem && { problem }) }
    }

    function pause() {
        hiddenAt = -Infinity
        if (isActive) lose()
    }

    /** @param {number} [until] the time of the next attempt, if there is one */
    function lose(until = Infinity) {
        if (is("live") && now - liveAt >= settled) failures = 0
        if (is("live") || is("connecting")) show(isOnline ? "reconnecting" : "offline")
        stream = 0
        retryAt = Math.max(now, until)
    }

    /** @param {Detail} detail */
    function fail({ retry = 0, atLeast = 0 } = {}) {
        if (isIdle()) return
        notBefore = now + atLeast
        lose(now)
        retryAt = now + Math.max(atLeast, backoff(failures++, retry, random))
    }

    function hurry() {
        if (isIdle()) return
        const isFresh = is("live") ? now - byteAt <= heartbeat + pausing : now - openedAt < pausing
        if (!stream || !isFresh) lose(Math.max(openedAt + pausing, notBefore))
    }

    /** @param {Status} status @param {number} [since] */
    function show(status, since = now) {
        if (is(status)) return
        state = status === "live" ? { status, isStale: false } : { status, isStale: true, since }
    }

    return {
        get state() {
            return state
        },
        get stream() {
            return stream
        },
        /** The time at which the next step is due, if nothing happens before. */
        get wake() {
            return Math.min(offlineAt(), pauseAt(), ...(stream ? [silentAt(), turnAt + heartbeat] : [retryAt]))
        },
        isPaused,

        /** @param {ConnectionEvent} event @param {number} time @param {Detail} [detail] */
        step(event, time, detail = {}) {
            if (is("ended")) return
            now = time
            // Timers come at least once a heartbeat, so a longer pause means that the page was frozen.
            const wasFrozen = stream && now - turnAt > 2 * heartbeat
            turnAt = now
            if (wasFrozen) lose(now)
            if (!wasFrozen || !["bytes", "ready", "lost", "closed"].includes(event)) take[event](detail)
            advance()
        },

        /**
         * A tab that follows another shows the connection of that one.
         * @param {ConnectionState} other
         */
        adopt(other) {
            if (!is("ended") && (!is(other.status) || state.since !== other.since)) state = other
        },
    }
}
