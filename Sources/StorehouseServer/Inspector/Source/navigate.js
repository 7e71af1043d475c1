import { app, changed, shownRevision } from "./app.js"
import { formatAddress, parseAddress } from "./model/address.js"

/** @type {(id: string | null) => Promise<void>} */
let openSession = async () => {}
/** @param {(id: string | null) => Promise<void>} open */
export const onOpen = open => void (openSession = open)

let steppedAt = -Infinity
/** @type {any} */
let writing

/** @param {boolean} isStep whether it takes the place of the address before */
function write(isStep) {
    const { session, view } = app
    if (!session) return
    const hash = formatAddress({ session: session.id, ...view, at: view.at ?? undefined, b: view.b ?? undefined, beside: view.beside ?? undefined,
        tab: view.tab === "changes" ? undefined : view.tab })
    const target = hash.startsWith("#") ? hash : "#" + hash
    clearTimeout(writing)
    if (target === location.hash) return
    // A browser takes long for this, so only the last of several steps is written.
    if (isStep) writing = setTimeout(() => history.replaceState(null, "", target), 150)
    else history.pushState(null, "", target)
}

/**
 * Shows a revision; null is the newest one, whichever that is.
 * @param {number | null} revision @param {{isStep?: boolean}} [how]
 */
export function choose(revision, how = {}) {
    const { isStep = false } = how
    const { session, view } = app
    if (!session) return
    const at = revision === null ? null : Math.max(0, Math.min(revision, session.revision))
    if (at === view.at) return
    view.at = at
    // Steps that follow each other at once are one journey.
    const now = performance.now()
    write(isStep && now - steppedAt < 1000)
    steppedAt = now
    changed("view", "state")
}

/** @param {number} by */
export const step = by => choose(shownRevision() + by, { isStep: true })

/** @param {Partial<typeof app.view>} change */
export function look(change) {
    Object.assign(app.view, change)
    write(true)
    changed("view", "state", "log")
}

/** Shows what the address tells. */
export async function followAddress() {
    clearTimeout(writing)
    const id = addressed()
    const { at = null, tab, b = null, q = "", lock = false, beside = null } = /** @type {any} */ (parseAddress(location.hash))
    if (id !== (app.session?.id ?? null) || app.session?.isClosed) {
        Object.assign(app.view, { at, b, tab: tab || "changes", q, lock: !!lock, beside })
        await openSession(id)
    } else Object.assign(app.view, { at, b, tab: tab || "changes", q, lock: !!lock, beside })
    changed("session", "view", "state", "log")
}

/** @returns {string | null} the id of the session in the address, or the name of the share */
export function addressed() {
    const { session, share } = parseAddress(location.hash)
    return session ?? (share ? shareName(share) : null)
}

/** @param {string} share @returns {string} its name in an address, in the place of a session's id */
export const shareName = share => "share/" + encodeURIComponent(share)

/** @param {string} id @param {string} [rest] */
export function go(id, rest = "") {
    const hash = id ? "#" + id + rest : ""
    if (location.hash === hash) return void followAddress()
    if (hash) location.hash = hash
    else {
        history.pushState(null, "", location.pathname + location.search)
        followAddress()
    }
}
