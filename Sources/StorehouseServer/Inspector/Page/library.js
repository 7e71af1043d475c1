const $ = id => document.getElementById(id)
const waitTimeout = 10 // seconds for an answer
let token = "" // of a server in token mode; it is nowhere else

// ---- Texts and elements: all data of the server is inserted as text.

function make(name, look, ...children) {
    const element = document.createElement(name)
    if (look) element.className = look
    element.append(...children)
    return element
}

// Numbers that a double cannot represent stay text.
const exact = (_, value, context) =>
    typeof value === "number" && JSON.rawJSON && context.source !== String(value) ? JSON.rawJSON(context.source) : value
const parse = text => JSON.parse(text, exact)
const text = value => value === undefined ? "nothing" : JSON.stringify(value)
const isTree = value => value !== null && typeof value === "object" && !JSON.isRawJSON?.(value)
const member = (tree, key) => Object.hasOwn(tree, key) ? tree[key] : undefined
const below = (pointer, key) => pointer + "/" + key.replaceAll("~", "~0").replaceAll("/", "~1")

const words = (...words) => words.filter(word => word).join(", ")
const because = ({ cause }) => cause && `because of ${cause}`

// The differences: pointer, value before, value after.
function differences(before, after, pointer = "", found = []) {
    if (before === after) return found
    if (isTree(before) && isTree(after) && Array.isArray(before) === Array.isArray(after)) {
        for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
            differences(member(before, key), member(after, key), below(pointer, key), found)
    } else if (text(before) !== text(after)) found.push([pointer, before, after])
    return found
}

// ---- JSON Patch

const keys = pointer => pointer.split("/").slice(1).map(key => key.replaceAll("~1", "/").replaceAll("~0", "~"))
const put = (tree, key, value) =>
    Object.defineProperty(tree, key, { value, enumerable: true, writable: true, configurable: true })[key]

// Applies one operation. What is in `own` is changed in place, and anything else is copied: the page still shows it.
function patch(tree, { op, path, from, value }, own) {
    if (op === "test") return tree
    if (op === "move" || op === "copy") {
        value = keys(from).reduce(member, tree)
        if (op === "move") tree = patch(tree, { op: "remove", path: from }, own)
        return patch(tree, { op: "add", path, value: op === "copy" ? parse(text(value)) : value }, own)
    }
    const way = keys(path), last = way.pop()
    if (last === undefined) return value
    const root = copyOnce(tree, own)
    let place = root
    for (const key of way) place = put(place, key, copyOnce(member(place, key), own))
    if (!Array.isArray(place)) op === "remove" ? delete place[last] : put(place, last, value)
    else if (op === "replace") place[last] = value
    else place.splice(last === "-" ? place.length : Number(last), op === "remove" ? 1 : 0, ...op === "add" ? [value] : [])
    return root
}

function copyOnce(tree, own) {
    if (own.has(tree)) return tree
    const copy = Array.isArray(tree) ? [...tree] : { ...tree }
    own.add(copy)
    return copy
}

// ---- The server

const sent = type => ({ Accept: type, ...token && { Authorization: "Bearer " + token } })

// An EventSource that sends the token.
class TokenSource extends EventTarget {
    readyState = EventSource.CONNECTING
    #end = new AbortController()
    #last = ""
    #retry = 1000

    constructor(path) {
        super()
        this.#run(path)
    }

    close() {
        this.readyState = EventSource.CLOSED
        this.#end.abort()
    }

    async #run(path) {
        while (this.readyState !== EventSource.CLOSED) {
            const headers = { ...sent("text/event-stream"), ...this.#last && { "Last-Event-ID": this.#last } }
            const { signal } = this.#end
            const response = await fetch(path, { headers, signal, cache: "no-store" }).catch(() => null)
            const isRefused = response && response.status !== 200
            if (isRefused) this.close()
            if (response?.status === 200) {
                this.readyState = EventSource.OPEN
                this.onopen?.()
                await this.#read(response.body.pipeThrough(new TextDecoderStream()).getReader()).catch(() => null)
            }
            if (this.readyState === EventSource.OPEN) this.readyState = EventSource.CONNECTING
            if (isRefused || !signal.aborted) this.onerror?.()
            await new Promise(done => setTimeout(done, this.#retry))
        }
    }

    async #read(reader) {
        for (let rest = "";;) {
            const { value, done } = await reader.read()
            if (done) return
            const blocks = (rest + value).split("\n\n")
            rest = blocks.pop()
            for (const block of blocks) this.#emit(block)
        }
    }

    #emit(block) {
        const fields = block.split("\n").map(line => /^(\w+): ?(.*)/.exec(line)).filter(field => field)
        const all = name => fields.filter(field => field[1] === name).map(field => field[2])
        this.#last = all("id").at(-1) ?? this.#last
        this.#retry = Number(all("retry").at(-1) ?? this.#retry)
        const data = all("data").join("\n")
        if (data) this.dispatchEvent(new MessageEvent(all("event").at(-1) ?? "message", { data, lastEventId: this.#last }))
    }
}

async function ask(method, path, body) {
    const headers = { ...sent("application/json"), ...body !== undefined && { "Content-Type": "application/json" } }
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
function tell(problem, place = $("problem")) {
    place.replaceChildren()
    if (!problem) return
    const { status = "", code = "problem", index, detail = `${problem}`, errors = [] } = problem
    const title = `${status} ${code}${index === undefined ? "" : `, action ${index} of the batch`}: `
    const faults = errors.map(error => make("li", "", make("code", "", error.pointer || "/"), ` ${error.detail}`))
    place.append(make("p", "", make("b", "bad", title), detail), make("ul", "", ...faults))
}

const attempt = (work, place) => work().then(() => tell(null, place), problem => tell(problem, place))
