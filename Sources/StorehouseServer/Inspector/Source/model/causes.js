/** @typedef {import("./entries.js").Entry} Entry */
/**
 * @typedef {object} CauseRow
 * @property {Entry} entry
 * @property {number} depth 0 without a cause that is here
 * @property {number} children what it has caused itself
 * @property {number} duration milliseconds since the cause; of a first one, until the last that came of it
 * @property {number} start of the time since the cause, as a part of the whole tree's
 * @property {number} part that this time is of it; 0 in a tree that took no time
 */

/** @param {Entry} from @param {Entry} to */
const milliseconds = (from, to) => Math.max(0, Date.parse(to.at) - Date.parse(from.at)) || 0

/**
 * The log as trees: newest first, but what an action has caused stands below it, oldest first.
 * @param {Entry[]} entries newest first @returns {CauseRow[]}
 */
export function causeTree(entries) {
    const known = new Set(entries.filter(({ status }) => status === undefined).map(({ revision }) => revision))
    /** @type {Map<number, Entry[]>} */
    const effects = new Map()
    const roots = entries.filter(entry => {
        const { cause, revision } = entry
        if (!cause || cause >= revision || !known.has(cause)) return true
        const others = effects.get(cause)
        others ? others.push(entry) : effects.set(cause, [entry])
        return false
    })
    return roots.flatMap(root => rowsBelow(root, effects))
}

/** @param {Entry} root @param {Map<number, Entry[]>} effects */
function rowsBelow(root, effects) {
    /** @type {CauseRow[]} */
    const rows = []
    /** @type {{entry: Entry, depth: number, cause: Entry | undefined}[]} */
    const waiting = [{ entry: root, depth: 0, cause: undefined }]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
        const { entry, depth, cause } = next
        const children = entry.status === undefined ? (effects.get(entry.revision) ?? []) : []
        const duration = cause ? milliseconds(cause, entry) : 0
        rows.push({ entry, depth, children: children.length, duration, start: cause ? milliseconds(root, cause) : 0, part: 0 })
        for (const child of children) waiting.push({ entry: child, depth: depth + 1, cause: entry })
    }
    rows[0].duration = rows.reduce((longest, { entry }) => Math.max(longest, milliseconds(root, entry)), 0)
    const whole = rows[0].duration || Infinity
    for (const row of rows) {
        row.start /= whole
        row.part = Math.min(1 - row.start, row.duration / whole)
    }
    return rows
}
