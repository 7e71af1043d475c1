import { text } from "./values.js"

const reserved = new Set([
    ..."actor any as associatedtype async await break case catch class continue default defer deinit do else enum".split(" "),
    ..."extension fallthrough false fileprivate for func guard if import in init inout internal is let nil operator".split(" "),
    ..."precedencegroup private protocol public repeat rethrows return self Self static struct subscript super switch".split(" "),
    ..."throw throws true try typealias var where while".split(" "),
])

/** @param {string} text @returns {string} an identifier like it: `login-form` gives `loginForm` */
export function identifier(text) {
    const [first = "it", ...others] = text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean)
    const name = [first[0].toLowerCase() + first.slice(1), ...others.map(upper)].join("")
    const safe = /^\p{N}/u.test(name) ? `_${name}` : name
    return reserved.has(safe) ? `\`${safe}\`` : safe
}

/** @param {string} word */
export const upper = word => word.charAt(0).toUpperCase() + word.slice(1)

/** @param {string} value @returns {string} a literal */
export function literal(value) {
    const escaped = value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")
    // Controls, and signs that turn the direction of what follows.
    return `"${escaped.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, sign => {
        if (sign === "\u200d") return sign // it joins emoji
        const code = /** @type {number} */ (sign.codePointAt(0))
        return `\\u{${(code >= 0xd800 && code < 0xe000 ? 0xfffd : code).toString(16)}}`
    })}"`
}

/** @param {any} value JSON @returns {string} a literal of several lines, without escapes */
export function raw(value) {
    // Signs that end a line or cannot be seen.
    const json = text(value, 2).replace(/[\u007f-\u009f]|(?!\n)[\p{Cf}\p{Zl}\p{Zp}]/gu, sign =>
        sign === "\u200d" ? sign : sign.split("").map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""))
    let signs = "#"
    while (json.includes(`"${signs}`) || json.includes(`\\${signs}`)) signs += "#"
    return `${signs}"""\n${json}\n"""${signs}`
}

/** @param {string} text @param {number} [depth] of each line but the empty ones */
export const indented = (text, depth = 1) => text.replace(/^(?=.)/gm, "    ".repeat(depth))
