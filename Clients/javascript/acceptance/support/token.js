import { createHmac, randomBytes } from "node:crypto"

const secret = randomBytes(32).toString("hex")

/** Settings of a server that takes the tokens. */
export const settings = ["access.mode=token", `access.secret=${secret}`]

const base64url = text => Buffer.from(text).toString("base64url")

/** @param {string} sub @param {number} [seconds] until it expires */
export function token(sub, seconds = 3600) {
    const exp = Math.floor(Date.now() / 1000) + seconds
    const text = [{ alg: "HS256", typ: "JWT" }, { sub, exp }].map(part => base64url(JSON.stringify(part))).join(".")
    return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`
}
