import { problem } from "./server.js"

/** A `fetch` between a client and the server of a test, with faults. */
export class Network {
    requests = []
    /** @type {(request: any) => any} a fault: {loseRequest}, {loseAnswer}, {status, body, headers, type}, {hang}, {twice} */
    fault = () => undefined
    /** Milliseconds that an answer and a piece of a stream need. */
    answerDelay = 0
    streamDelay = () => 0
    accepts = () => true
    isDown = false
    isMissing = false // the session does not exist until a PUT makes it
    /** @type {(bytes: Uint8Array) => Uint8Array[]} */
    split = bytes => [bytes]
    open = 0

    constructor(server, clock) {
        this.server = server
        this.clock = clock
    }

    /** The requests of one kind: "sync", "events" or "PUT". */
    of(kind) {
        return this.requests.filter(request => request.kind === kind)
    }

    get entries() {
        return this.of("sync").map(({ body }) => body.entries.length)
    }

    fetch = async (target, { method = "GET", headers = {}, body, signal } = {}) => {
        signal?.throwIfAborted()
        const url = new URL(target)
        const kind = method === "PUT" ? "PUT" : url.pathname.split("/").at(-1)
        const query = Object.fromEntries(url.searchParams)
        const request = { kind, method, url, query, headers, body: body && JSON.parse(body), bytes: body?.length, at: this.clock.time }
        this.requests.push(request)
        const fault = this.fault(request) ?? {}
        if (this.isDown || fault.loseRequest) throw new TypeError("network error")
        if (fault.hang) await aborted(signal)
        if (fault.status) return response(fault.status, fault.body, fault.headers, fault.type)
        const refused = this.#refusal(request)
        if (refused) return response(refused.status, refused.body)
        if (kind === "PUT") {
            this.isMissing = false
            return response(201, {})
        }
        if (kind === "actions") return this.#actions(request, fault)
        return kind === "sync" ? this.#sync(request, fault, signal) : this.#events(request, fault, signal)
    }

    #refusal({ kind, headers, bytes }) {
        if (!this.accepts(headers.Authorization?.slice(7))) return problem(401, "unauthorized")
        if (this.isMissing && kind !== "PUT") return problem(404, "no-such-session")
        if (bytes > this.server.maxBody) return problem(413, "body-too-large")
        if (this.server.isOld && kind === "sync") return problem(404, "no-such-resource")
        if (this.server.ended && kind === "sync") return problem(410, "session-ended")
    }

    async #sync({ body }, fault, signal) {
        let answer = this.server.sync(body)
        if (fault.twice) answer = this.server.sync(body)
        if (fault.loseAnswer) throw new TypeError("network error")
        await this.#delay(fault.delay ?? this.answerDelay, signal)
        return response(answer.status, answer.body)
    }

    #actions({ body, headers }, fault) {
        const { status, body: answer } = this.server.actions(headers["Idempotency-Key"], [body].flat(), headers["If-Match"]?.slice(1, -1))
        if (fault.loseAnswer) throw new TypeError("network error")
        return response(status, answer)
    }

    async #events({ query, headers }, fault, signal) {
        const pipe = new Pipe(signal, this)
        const id = headers["Last-Event-ID"]
        const { status, stream } = this.server.subscribe(query, id, text => pipe.write(text), () => pipe.end())
        if (!stream) return response(status, { code: "session-ended" })
        pipe.onEnd = () => {
            this.open--
            this.server.leave(stream)
        }
        this.open++
        if (fault.hangBody) await aborted(signal)
        return response(200, undefined, {}, "text/event-stream; charset=utf-8", pipe)
    }

    #delay(milliseconds, signal) {
        if (!milliseconds) return
        return Promise.race([new Promise(resolve => this.clock.setTimeout(resolve, milliseconds)), aborted(signal)])
    }
}

/** The bytes of a stream on their way. */
class Pipe {
    #pieces = []
    #readers = []
    #arrival = 0
    #travelling = 0
    #state = "open"

    constructor(signal, network) {
        this.network = network
        signal?.addEventListener("abort", () => this.#finish("aborted"))
    }

    write(text) {
        const { clock, split, streamDelay } = this.network
        for (const piece of split(new TextEncoder().encode(text))) {
            // Pieces do not overtake each other.
            this.#arrival = Math.max(this.#arrival, clock.time + streamDelay())
            if (this.#arrival === clock.time && !this.#travelling) this.#arrive(piece)
            else {
                this.#travelling++
                clock.setTimeout(() => {
                    this.#travelling--
                    this.#arrive(piece)
                }, this.#arrival - clock.time)
            }
        }
    }

    end() {
        this.#finish("ended")
    }

    read() {
        if (this.#pieces.length) return Promise.resolve({ value: this.#join(), done: false })
        if (this.#state === "ended") return Promise.resolve({ done: true })
        if (this.#state === "aborted") return Promise.reject(new Error("aborted"))
        return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }))
    }

    #join() {
        // A reader gets all that has come, unless the test cuts it in pieces.
        if (this.network.isPiecemeal) return this.#pieces.shift()
        return Buffer.concat(this.#pieces.splice(0))
    }

    #arrive(piece) {
        if (this.#state !== "open") return
        this.#pieces.push(piece)
        this.#readers.shift()?.resolve({ value: this.#join(), done: false })
    }

    #finish(state) {
        if (this.#state !== "open") return
        this.#state = state
        this.onEnd?.()
        for (const reader of this.#readers.splice(0)) {
            if (state === "ended") reader.resolve({ done: true })
            else reader.reject(new Error("aborted"))
        }
    }
}

const aborted = signal => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))))

function response(status, body, headers = {}, type = "application/problem+json", pipe) {
    return {
        status,
        ok: status < 300,
        headers: new Headers({ "Content-Type": status < 300 && !pipe ? "application/json" : type, ...headers }),
        json: async () => (typeof body === "string" ? JSON.parse(body) : structuredClone(body)),
        body: pipe && { getReader: () => pipe },
    }
}
