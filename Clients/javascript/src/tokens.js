import { createAlarm } from "./alarm.js"

/** @typedef {(reason?: string) => string | null | undefined | Promise<string | null | undefined>} TokenSource */

const early = 30000 // before a token expires

/**
 * @param {string | null | undefined} token
 * @returns {{sub?: string, exp?: number}} the claims of a token, not verified
 */
export function claims(token) {
    try {
        const part = /** @type {string} */ (token).split(".")[1].replace(/-/g, "+").replace(/_/g, "/")
        return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), c => c.charCodeAt(0))))
    } catch {
        return {}
    }
}

/** @typedef {ReturnType<typeof createTokens>} Tokens */

/**
 * Asks the app for its token: before first use, after a refusal, and before one expires. One call at a time.
 * @param {TokenSource | undefined} ask @param {import("./alarm.js").Clock & {wall(): number}} clock
 */
export function createTokens(ask, clock) {
    /** @type {string | null | undefined} */
    let current
    /** @type {string | undefined} the subject of the first token */
    let user
    const alarm = createAlarm(clock, () => renew("expiring").catch(() => {}))
    /** @type {Promise<string | null | undefined> | undefined} */
    let asking
    let wasAsked = false
    let isUnproven = false

    async function get() {
        return asking ?? (wasAsked ? current : renew())
    }

    /** @param {string} [reason] */
    function renew(reason) {
        return (asking ??= fetch(reason).finally(() => (asking = undefined)))
    }

    /**
     * The server answered 401 to a token.
     * @param {string | null | undefined} used
     * @returns {Promise<boolean>} whether it is worth to try again
     */
    async function refused(used) {
        if (used !== (await get())) return true
        if (!ask || isUnproven) return false
        isUnproven = true
        await renew("unauthorized")
        return true
    }

    /** The server took a token. */
    function accepted() {
        isUnproven = false
    }

    /**
     * @param {string | null} token
     * @returns {boolean} false for the token of another user, whose entries stand elsewhere
     */
    function set(token) {
        const { sub, exp } = claims(token)
        if (user && sub && sub !== user) return false
        user ??= sub
        wasAsked = true
        isUnproven = false
        current = token
        const left = exp ? exp * 1000 - clock.wall() - early : 0
        alarm(left > 0 ? clock.now() + left : Infinity)
        return true
    }

    function stop() {
        alarm(Infinity)
    }

    /** @param {string} [reason] */
    async function fetch(reason) {
        const wasUnproven = isUnproven
        set((await ask?.(reason)) ?? null)
        isUnproven = wasUnproven
        return current
    }

    return { get, renew, refused, accepted, set, stop }
}
