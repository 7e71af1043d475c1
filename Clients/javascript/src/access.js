import { createAlarm } from "./alarm.js"
import { asked } from "./backoff.js"

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

/** @typedef {ReturnType<typeof createAccess>} Access */

/**
 * Sends requests with the token of the app, which is asked for it before first use, after a refusal, and before one expires.
 * @param {string} url of the session
 * @param {TokenSource | undefined} ask one call at a time
 * @param {import("./environment.js").Environment} environment
 */
export function createAccess(url, ask, environment) {
    const { fetch, now, wall } = environment
    /** @type {string | null | undefined} */
    let current
    /** @type {string | undefined} the subject of the first token */
    let user
    const alarm = createAlarm(environment, () => renew("expiring").catch(() => {}))
    /** @type {Promise<string | null | undefined> | undefined} */
    let asking
    let wasAsked = false
    let isUnproven = false

    async function get() {
        return asking ?? (wasAsked ? current : renew())
    }

    /** @param {string} [reason] */
    function renew(reason) {
        return (asking ??= change(reason).finally(() => (asking = undefined)))
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

    /**
     * Rejects if there is no answer.
     * @param {string} name of a resource below the session; empty for the session itself
     * @param {{query?: Record<string, any>, body?: any, headers?: any, [member: string]: any}} request
     */
    async function request(name, { query = {}, body, headers, ...init }) {
        const token = await get()
        const target = new URL(url)
        if (name) target.pathname = target.pathname.replace(/\/*$/, "/" + name)
        for (const [key, value] of Object.entries(query)) if (value) target.searchParams.set(key, value)
        const content = body && { "Content-Type": "application/json" }
        const authorization = token && { Authorization: "Bearer " + token }
        const response = await fetch(target.href, {
            ...init, body: body && JSON.stringify(body), headers: { ...headers, ...content, ...authorization },
        })
        const { status } = response
        if (status !== 401) isUnproven = false
        return { response, status, token, atLeast: asked(Number(response.headers.get("Retry-After"))) }
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
        const left = exp ? exp * 1000 - wall() - early : 0
        alarm(left > 0 ? now() + left : Infinity)
        return true
    }

    function stop() {
        alarm(Infinity)
    }

    /** @param {string} [reason] */
    async function change(reason) {
        const wasUnproven = isUnproven
        set((await ask?.(reason)) ?? null)
        isUnproven = wasUnproven
        return current
    }

    return { get, renew, refused, request, set, stop }
}
