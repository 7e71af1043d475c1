import { createPatcher } from "./patch.js"

/** @typedef {{type: string, payload?: any}} Action */
/** @typedef {{type: string, id?: string, data: any}} Event an event whose data is parsed */
/**
 * @typedef {object} Entry
 * @property {string} key names the entry before it has a number
 * @property {Action[]} actions
 * @property {string} [ifMatch]
 * @property {boolean} [isSecret] it must not be written to disk, and is not predicted
 * @property {boolean} [isBlind] it is not predicted
 * @property {number} size bytes of the entry as JSON
 * @property {number} [number] its place in the outbox
 * @property {string} [reason] of the local rules, if they reject it
 * @property {Result} [result]
 */
/** @typedef {Entry & {number: number}} Numbered */
/**
 * @typedef {object} Result
 * @property {number} n
 * @property {"committed" | "ignored" | "rejected" | "mismatched" | "refused"} outcome
 * @property {number} revision
 * @property {string[]} [effects]
 * @property {any} [problem]
 * @property {string} [history] in which it was decided
 * @property {boolean} [isExpired] the history is gone, and the revision will never come
 */
/**
 * @typedef {object} Confirmed
 * @property {any} value
 * @property {number} revision
 * @property {string} [id] of the newest event
 * @property {string} [history]
 * @property {string} [mark] of this client
 * @property {number} through the highest number of this client that the value contains
 * @property {string} [version] of the kind
 */

/** A reducer returns this where its rules forbid an action. */
export class Rejection {
    /** @param {string} reason */
    constructor(reason) {
        this.reason = reason
    }
}

/**
 * The state after an entry, or the one before it if the reducer cannot run it or forbids it.
 * @param {((state: any, action: any) => any) | undefined} reducer
 * @param {any} state @param {Entry} entry
 * @param {(error: unknown, action: Action) => void} failed hears of a reducer that throws
 */
export function predict(reducer, state, entry, failed) {
    entry.reason = undefined
    if (!reducer || entry.isSecret || entry.isBlind || state === undefined) return state
    let next = state
    for (const action of entry.actions) {
        try {
            next = reducer(next, action)
        } catch (error) {
            failed(error, action)
            return state
        }
        if (next instanceof Rejection) entry.reason = next.reason
        if (next === undefined || entry.reason !== undefined) return state
    }
    return next
}

/**
 * The confirmed state after the events of one read. All of them apply, or the error of one leaves the state as it was.
 * @param {Confirmed} confirmed
 * @param {Event[]} events
 * @returns {Confirmed}
 */
export function confirm(confirmed, events) {
    const next = { ...confirmed }
    /** @type {ReturnType<typeof createPatcher> | undefined} */
    let patcher
    for (const { type, id, data } of events) {
        if (type === "state") {
            patcher = undefined
            next.value = data.state
        } else if (type === "patch") {
            if (next.value === undefined) throw new Error("patch: there is no state")
            patcher ??= createPatcher(next.value)
            next.value = patcher(data.patch)
        } else if (type === "ready") {
            // A restored backup has fewer numbers, so the old ones say nothing about the new history.
            if (next.history !== data.history) next.through = 0
            // A kind of another version may have another form, which patches of the old one do not bring.
            const isOther = next.version && next.version !== data.version
            if (isOther && !events.some(event => event.type === "state")) throw new Error("the kind has another version")
            next.history = data.history
            next.version = data.version
            next.mark = data.mark ?? next.mark
        } else continue
        next.revision = data.revision
        next.id = id || next.id
        next.through = Math.max(next.through, data.through?.[next.mark ?? ""] ?? 0)
    }
    return next
}
