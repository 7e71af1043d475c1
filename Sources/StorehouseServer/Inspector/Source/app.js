/** @typedef {import("./session.js").Session} Session */
/** @typedef {"session" | "log" | "state" | "view" | "effects" | "connection" | "people" | "kinds" | "refused" | "document"} Topic */

/** All that the parts of the page share: the session that is open, and what of it is shown. */
export const app = {
    /** @type {Session | null} */
    session: null,
    /** Whether the document of the session in the address is asked for. */
    isOpening: false,
    /** @type {any[]} */
    kinds: [],
    /** @type {{at: number | null, b: number | null, tab: string, q: string, lock: boolean, beside: string | null}} */
    view: { at: null, b: null, tab: "changes", q: "", lock: false, beside: null },
}

/** @type {{topics: Set<Topic>, paint: () => void}[]} */
const parts = []
/** @type {Set<Topic>} */
const dirty = new Set()
let isWaiting = false
let ran = 0

/** @param {Topic[]} topics @param {() => void} paint runs when one of the topics has changed, once a frame while much happens */
export const onChange = (topics, paint) => void parts.push({ topics: new Set(topics), paint })

/** @param {...Topic} topics */
export function changed(...topics) {
    for (const topic of topics) dirty.add(topic)
    if (isWaiting) return
    isWaiting = true
    // A page that has rested need not wait for the next frame to begin its work.
    if (document.hidden || performance.now() - ran < 50) requestAnimationFrame(run)
    else queueMicrotask(run)
}

function run() {
    isWaiting = false
    ran = performance.now()
    const now = new Set(dirty)
    dirty.clear()
    for (const { topics, paint } of parts) {
        if (![...topics].some(topic => now.has(topic))) continue
        try {
            paint()
        } catch (error) {
            reportError(error) // the fault of one part must not stop the others
        }
    }
}

/** The revision that is shown: the chosen one, or the newest. */
export const shownRevision = () => app.view.at ?? app.session?.revision ?? 0

/** The kind of the open session. */
export const kind = () => app.kinds.find(({ name }) => name === app.session?.document.store)
