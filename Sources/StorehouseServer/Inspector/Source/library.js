export const $ = id => document.getElementById(id)
const waitTimeout = 10 // seconds for an answer
export let token = "" // of a server in token mode; it is nowhere else

export const useToken = given => void (token = given)

// ---- Texts and elements: all data of the server is inserted as text.

export function make(name, look, ...children) {
    const element = document.createElement(name)
    if (look) element.className = look
    element.append(...children)
    return element
}

// Numbers that a double cannot represent stay text.
const exact = (_, value, context) =>
    typeof value === "number" && JSON.rawJSON && context.source !== String(value) ? JSON.rawJSON(context.source) : value
export const parse = text => JSON.parse(text, exact)
export const text = value => value === undefined ? "nothing" : JSON.stringify(value)
export const isTree = value => value !== null && typeof value === "object" && !JSON.isRawJSON?.(value)
const member = (tree, key) => Object.hasOwn(tree, key) ? tree[key] : undefined
export const below = (pointer, key) => pointer + "/" + key.replaceAll("~", "~0").replaceAll("/", "~1")

export const words = (...words) => words.filter(word => word).join(", ")
export const because = ({ cause }) => cause && `because of ${cause}`

// The differences: pointer, value before, value after.
export function differences(before, after, pointer = "", found = []) {
    if (before === after) return found
    if (isTree(before) && isTree(after) && Array.isArray(before) === Array.isArray(after)) {
        for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
            differences(member(before, key), member(after, key), below(pointer, key), found)
    } else if (text(before) !== text(after)) found.push([pointer, before, after])
    return found
}

// ---- The server

export async function ask(method, path, body) {
    const headers = { Accept: "application/json" }
    if (token) headers.Authorization = "Bearer " + token
    if (body !== undefined) headers["Content-Type"] = "application/json"
    const signal = AbortSignal.timeout(waitTimeout * 1000)
    const fail = () => {
        throw { detail: signal.aborted ? noAnswer : "The server cannot be reached." }
    }
    const response = await fetch(path, { method, headers, body, signal, cache: "no-store" }).catch(fail)
    const answer = await response.text().catch(fail)
    if (response.ok) return answer ? parse(answer) : null
    if (response.status === 401) $("enter").hidden = false
    const isProblem = response.headers.get("Content-Type") === "application/problem+json"
    throw isProblem ? parse(answer) : { detail: `The answer is ${response.status}.` }
}

const noAnswer = `The server has not answered within ${waitTimeout} s. `
    + "A browser opens six connections to a server over HTTP/1.1, so close other windows that show sessions of this one."

// Shows a problem; null for none.
export function tell(problem, place = $("problem")) {
    place.replaceChildren()
    if (!problem) return
    const { status = "", code = "problem", index, detail = `${problem}`, errors = [] } = problem
    const title = `${status} ${code}${index === undefined ? "" : `, action ${index} of the batch`}: `
    const faults = errors.map(error => make("li", "", make("code", "", error.pointer || "/"), ` ${error.detail}`))
    place.append(make("p", "", make("b", "bad", title), detail), make("ul", "", ...faults))
}

export const attempt = (work, place) => work().then(() => tell(null, place), problem => tell(problem, place))
