import { Alarm } from "./alarm.js"

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

/** Asks the app for its token: before first use, after a refusal, and before one expires. One call at a time. */
export class Tokens {
    /** @type {string | null | undefined} */
    current
    /** @type {string | undefined} the subject of the first token */
    user
    #ask
    #clock
    #alarm
    /** @type {Promise<string | null | undefined> | undefined} */
    #asking
    #wasAsked = false
    #isUnproven = false

    /** @param {TokenSource | undefined} ask @param {import("./alarm.js").Clock & {wall(): number}} clock */
    constructor(ask, clock) {
        this.#ask = ask
        this.#clock = clock
        this.#alarm = new Alarm(clock, () => this.renew("expiring").catch(() => {}))
    }

    async get() {
        return this.#asking ?? (this.#wasAsked ? this.current : this.renew())
    }

    /** @param {string} [reason] */
    renew(reason) {
        return (this.#asking ??= this.#renew(reason).finally(() => (this.#asking = undefined)))
    }

    /**
     * The server answered 401 to a token.
     * @param {string | null | undefined} used
     * @returns {Promise<boolean>} whether it is worth to try again
     */
    async refused(used) {
        if (used !== (await this.get())) return true
        if (!this.#ask || this.#isUnproven) return false
        this.#isUnproven = true
        await this.renew("unauthorized")
        return true
    }

    /** The server took a token. */
    accepted() {
        this.#isUnproven = false
    }

    /**
     * @param {string | null} token
     * @returns {boolean} false for the token of another user, whose entries stand elsewhere
     */
    set(token) {
        const { sub, exp } = claims(token)
        if (this.user && sub && sub !== this.user) return false
        this.user ??= sub
        this.#wasAsked = true
        this.#isUnproven = false
        this.current = token
        const left = exp ? exp * 1000 - this.#clock.wall() - early : 0
        this.#alarm.set(left > 0 ? this.#clock.now() + left : Infinity)
        return true
    }

    stop() {
        this.#alarm.set(Infinity)
    }

    /** @param {string} [reason] */
    async #renew(reason) {
        const isUnproven = this.#isUnproven
        this.set((await this.#ask?.(reason)) ?? null)
        this.#isUnproven = isUnproven
        return this.current
    }
}
