/**
 * All that the client needs of its surroundings, so that tests control time, chance, network and disk.
 * @typedef {object} Environment
 * @property {(url: string, init?: any) => Promise<Response>} fetch
 * @property {() => number} now milliseconds that never go back
 * @property {() => number} wall the time of day
 * @property {(run: () => void, delay: number) => any} setTimeout
 * @property {(timer: any) => void} clearTimeout
 * @property {() => number} random
 * @property {() => string} id 128 random bits
 * @property {(paint: () => void) => void} frame runs something before the next frame is painted, at times twice
 * @property {IDBFactory} [indexedDB]
 * @property {LockManager} [locks]
 * @property {(name: string) => import("./tabs.js").Channel} [channel]
 * @property {Page} page
 */
/**
 * @typedef {object} Page
 * @property {() => boolean} isHidden
 * @property {(hear: (event: PageEvent) => void) => () => void} listen
 */
/** @typedef {"hidden" | "visible" | "pagehide" | "freeze" | "resume" | "online" | "offline" | "poke"} PageEvent */

const latest = 250 // milliseconds that views wait for a frame

const page = {
    isHidden: () => !!globalThis.document?.hidden,

    /** @param {(event: PageEvent) => void} hear */
    listen(hear) {
        const { document, navigator } = globalThis
        const controller = new AbortController()
        /** @param {any} target @param {string[]} names @param {(name: any) => PageEvent} event */
        const listen = (target, names, event) => {
            for (const name of names) target?.addEventListener?.(name, () => hear(event(name)), controller)
        }
        const visibility = () => (page.isHidden() ? "hidden" : "visible")
        listen(document, ["visibilitychange"], visibility)
        listen(globalThis, ["pageshow"], visibility)
        listen(globalThis, ["pagehide", "online", "offline"], name => name)
        listen(document, ["freeze", "resume"], name => name)
        listen(/** @type {any} */ (navigator)?.connection, ["change"], () => "poke")
        return () => controller.abort()
    },
}

/** @returns {Environment} */
export function environment() {
    let offset = 0
    let newest = 0
    const { setTimeout, clearTimeout, indexedDB, navigator, BroadcastChannel, requestAnimationFrame } = /** @type {any} */ (globalThis)
    return {
        fetch: (url, init) => fetch(url, init),
        // A browser's monotonic clock may stand still while the machine sleeps, and the time of day may be set back.
        now() {
            const time = Date.now() + offset
            if (time < newest) offset += newest - time
            return (newest = Math.max(newest, time))
        },
        wall: Date.now,
        setTimeout,
        clearTimeout,
        random: Math.random,
        id() {
            const bytes = crypto.getRandomValues(new Uint8Array(16))
            return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").slice(0, 22)
        },
        // A hidden page paints no frames, and a covered or busy one may paint none for long.
        frame(paint) {
            if (!requestAnimationFrame || page.isHidden()) return paint()
            const timer = setTimeout(paint, latest)
            requestAnimationFrame(() => {
                clearTimeout(timer)
                paint()
            })
        },
        indexedDB,
        locks: navigator?.locks,
        channel: BroadcastChannel && (name => new BroadcastChannel(name)),
        page,
    }
}
