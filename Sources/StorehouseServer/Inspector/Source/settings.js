import { RecentSessions } from "./model/sessions.js"

// The only file that keeps anything in the browser: the look of the page, and recent sessions unless they are switched off.

/** @type {Storage | undefined} a browser may forbid it */
let disk
try {
    disk = localStorage
} catch {
    disk = undefined
}

export const recent = new RecentSessions(disk)

/** @param {string} key @returns {string | null} */
export const setting = key => disk?.getItem("storehouse." + key) ?? null

/** @param {string} key @param {string} value */
export function keep(key, value) {
    try {
        disk?.setItem("storehouse." + key, value)
    } catch {
        // The page works without it.
    }
}
