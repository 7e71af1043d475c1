import { Times } from "./model/rates.js"
import { parse } from "./model/values.js"

const waitTimeout = 10 // seconds for an answer

/** The token of a server in token mode; it is nowhere else. */
export let token = ""
/** The token of an operator, for the list of sessions, and to read one of them. */
export let adminToken = ""

/** How long the latest answers took, without the time in which this page was busy. */
export const answers = new Times()
new PerformanceObserver(list => {
    for (const { name, responseEnd, requestStart } of /** @type {PerformanceResourceTiming[]} */ (list.getEntries()))
        if (!name.includes("/events")) answers.add(responseEnd - requestStart)
}).observe({ type: "resource" })

/** @param {string} given */
export const useToken = given => void (token = given)
/** @param {string} given */
export const useAdminToken = given => void (adminToken = given)

/**
 * Whoever has the admin token may look at each session, and not use it.
 * @param {string} id
 */
export const pathOf = id => `${token && token === adminToken ? "admin/" : ""}sessions/${id}`

/** @type {() => void} */
let askForToken = () => {}
/** @param {() => void} ask is called when the server wants a token */
export const onUnauthorized = ask => void (askForToken = ask)

const noAnswer = `The server has not answered within ${waitTimeout} s. `
    + "A browser opens six connections to a server over HTTP/1.1: close other windows with its sessions."

/**
 * Throws the problem of the server, or one of its own.
 * @param {string} method @param {string} path @param {any} [body] text, or a value
 * @param {{signal?: AbortSignal, headers?: Record<string, string>, bearer?: string}} [how]
 * @returns {Promise<any>}
 */
export async function ask(method, path, body, how = {}) {
    const { signal, headers: more, bearer = token } = how
    /** @type {Record<string, string>} */
    const headers = { Accept: "application/json", ...more }
    if (bearer) headers.Authorization = "Bearer " + bearer
    if (body !== undefined) headers["Content-Type"] = "application/json"
    const timeout = /** @type {any} */ (AbortSignal).timeout(waitTimeout * 1000)
    const fail = () => {
        throw { detail: timeout.aborted ? noAnswer : "The server cannot be reached.", isAborted: signal?.aborted }
    }
    const response = await fetch(path, {
        method, headers, body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
        signal: signal ? anyOf(signal, timeout) : timeout, cache: "no-store",
    }).catch(fail)
    const answer = await response.text().catch(fail)
    if (response.ok) return answer ? parse(answer) : null
    if (response.status === 401 && bearer === token) askForToken()
    const isProblem = response.headers.get("Content-Type") === "application/problem+json"
    throw isProblem ? parse(answer) : { detail: `The answer is ${response.status}.` }
}

/** @param {...AbortSignal} signals */
function anyOf(...signals) {
    const controller = new AbortController()
    for (const signal of signals) {
        if (signal.aborted) controller.abort()
        signal.addEventListener("abort", () => controller.abort(), { once: true })
    }
    return controller.signal
}
