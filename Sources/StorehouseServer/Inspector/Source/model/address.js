/**
 * @typedef {object} Address
 * @property {string} [session]
 * @property {string} [share] the token of a share, in place of a session
 * @property {number} [at] the revision; the newest one without it
 * @property {string} [tab]
 * @property {number} [b] the revision to compare with
 * @property {string} [q] the filter
 * @property {boolean} [lock] view only
 * @property {string} [beside] the session shown beside this one
 */

export const tabs = ["changes", "state", "action", "effects", "test"]

const isName = (/** @type {string} */ text) => /^[\w-]+$/.test(text)
const isRevision = (/** @type {string | null | undefined} */ text) => text != null && /^\d{1,15}$/.test(text)

/** @param {string} text percent-encoded */
function decoded(text) {
    try {
        return decodeURIComponent(text)
    } catch {
        return text
    }
}

/**
 * Reads a fragment such as `#id/at/12/changes?b=9&q=origin:effect`. What it does not know it leaves out.
 * @param {string} hash @returns {Address}
 */
export function parseAddress(hash) {
    const [, path, query = ""] = /^#?([^?]*)\??(.*)$/s.exec(hash) ?? ["", ""]
    const parts = path.split("/").map(decoded)
    /** @type {Address} */
    const address = {}
    if (parts[0] === "share") parts.shift(), parts[0] && (address.share = parts.shift())
    else if (isName(parts[0])) address.session = parts.shift()
    if (parts[0] === "at" && isRevision(parts[1])) address.at = Number(parts.splice(0, 2)[1])
    if (tabs.includes(parts[0])) address.tab = parts[0]
    const found = new URLSearchParams(query)
    const [b, q, beside] = [found.get("b"), found.get("q"), found.get("beside")]
    if (isRevision(b)) address.b = Number(b)
    if (q) address.q = q
    if (found.has("lock")) address.lock = true
    if (beside && isName(beside)) address.beside = beside
    return address
}

/** @param {Address} address @returns {string} the fragment, with its `#`; empty without a session */
export function formatAddress({ session, share, at, tab, b, q, lock, beside }) {
    if (!session && !share) return ""
    const path = [share ? `share/${encodeURIComponent(share)}` : session, at === undefined ? undefined : `at/${at}`, tab]
    const query = [b !== undefined && `b=${b}`, q && `q=${readable(q)}`, lock && "lock=1", beside && `beside=${beside}`]
    const written = query.filter(Boolean).join("&")
    return `#${path.filter(Boolean).join("/")}${written && `?${written}`}`
}

/** @param {string} text as a part of a query, with signs left as they are that need no encoding */
function readable(text) {
    const encoded = encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd"))
    return encoded.replace(/%(3A|2F|2C|40)/g, decodeURIComponent).replaceAll("%20", "+")
}

/**
 * The session or share that a text names: an id, an address of the API, or one of this page.
 * @param {string} text @returns {Address}
 */
export function addressIn(text) {
    const trimmed = text.trim()
    if (trimmed.includes("#")) return parseAddress(trimmed.slice(trimmed.indexOf("#")))
    const [, kind, id] = /(sessions|shared)\/([^/?#]+)/.exec(trimmed) ?? []
    if (kind) return kind === "shared" ? { share: decoded(id) } : { session: id }
    return isName(trimmed) ? { session: trimmed } : {}
}
