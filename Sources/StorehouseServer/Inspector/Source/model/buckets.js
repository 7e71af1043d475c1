/** @typedef {import("./entries.js").Entry} Entry */
/**
 * @typedef {object} Bucket
 * @property {number} from the first revision
 * @property {number} to the last one
 * @property {number} count of commits
 * @property {Record<string, number>} origins commits by origin
 * @property {number} refusals
 * @property {number} failures of effects
 */

/**
 * The bars of the timeline, from the oldest revision to the newest: at most `width` of them, each for equally many revisions.
 * @param {Entry[]} entries newest first @param {number} width
 * @param {{cause: number}[]} [failures] of effects
 * @returns {Bucket[]}
 */
export function buckets(entries, width, failures = []) {
    const committed = entries.filter(entry => entry.status === undefined)
    if (!committed.length || width < 1) return []
    const [first, last] = [/** @type {Entry} */ (committed.at(-1)).revision, committed[0].revision]
    const size = Math.ceil((last - first + 1) / Math.floor(width))
    const count = Math.ceil((last - first + 1) / size)
    /** @type {Bucket[]} */
    const bars = Array.from({ length: count }, (_, i) => {
        const from = first + i * size
        return { from, to: Math.min(last, from + size - 1), count: 0, origins: {}, refusals: 0, failures: 0 }
    })
    const bar = (/** @type {number} */ revision) =>
        bars[Math.max(0, Math.min(count - 1, Math.floor((revision - first) / size)))]
    for (const { revision, status, origin = "client" } of entries) {
        const found = bar(revision)
        if (status !== undefined) found.refusals++
        else {
            found.count++
            found.origins[origin] = (found.origins[origin] ?? 0) + 1
        }
    }
    for (const { cause } of failures) if (cause >= first && cause <= last) bar(cause).failures++
    return bars
}

/**
 * The revision at a place of the timeline.
 * @param {Bucket[]} bars @param {number} width of the timeline @param {number} x from 0 to the width
 * @returns {number} 0 without bars
 */
export function revisionAt(bars, width, x) {
    if (!bars.length) return 0
    const [first, last] = [bars[0].from, bars[bars.length - 1].to]
    const part = Math.max(0, Math.min(1, width > 0 ? x / width : 0))
    return Math.min(last, first + Math.floor(part * (last - first + 1)))
}

/** @param {Bucket[]} bars @param {number} width @param {number} revision @returns {number} the middle of its place */
export function placeOf(bars, width, revision) {
    if (!bars.length) return 0
    const [first, last] = [bars[0].from, bars[bars.length - 1].to]
    return ((Math.max(first, Math.min(last, revision)) - first + 0.5) / (last - first + 1)) * width
}

const [longestGap, shortGap] = [1000, 300] // milliseconds

/**
 * The steps of playing the log: each revision with the milliseconds to wait before it is shown.
 * @param {Entry[]} entries newest first
 * @param {{speed?: number, from?: number}} options a speed of `Infinity` waits for nothing but the next frame
 * @returns {{revision: number, delay: number}[]}
 */
export function playback(entries, { speed = 1, from = 0 } = {}) {
    /** @type {number | undefined} */
    let last
    const steps = []
    for (let i = entries.length - 1; i >= 0; i--) {
        const { revision, status, at } = entries[i]
        if (status !== undefined) continue
        const time = Date.parse(at)
        const gap = last === undefined || !(time > last) ? 0 : time - last
        last = Number.isNaN(time) ? last : time
        if (revision > from) steps.push({ revision, delay: (gap > longestGap ? shortGap : gap) / speed })
    }
    return steps
}
