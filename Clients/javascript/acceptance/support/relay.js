import { createServer, request } from "node:http"

/**
 * Passes requests on to the server, and makes faults. Its own port stays, also while the server is away.
 */
export class Relay {
    target = 0
    /** How many of the next answers to POST are lost after the server has given them. */
    answersToLose = 0
    /** Decides about each request: "request" or "answer" is lost, or nothing. */
    fault = (/** @type {string} */ method) => (method === "POST" && this.answersToLose-- > 0 ? "answer" : undefined)
    /** @type {{method: string, path: string, lastEventId?: string}[]} */
    requests = []
    #sockets = new Set()
    #server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing))

    /** @returns {Promise<string>} the URL */
    async start() {
        this.#server.on("connection", socket => {
            this.#sockets.add(socket)
            socket.on("close", () => this.#sockets.delete(socket))
        })
        await new Promise(resolve => this.#server.listen(0, "127.0.0.1", () => resolve(undefined)))
        return `http://127.0.0.1:${/** @type {any} */ (this.#server.address()).port}`
    }

    /** Breaks all connections. */
    cut() {
        for (const socket of this.#sockets) socket.destroy()
    }

    stop() {
        this.#server.close()
        this.cut()
    }

    #pass(incoming, outgoing) {
        const { method, url: path, headers, socket } = incoming
        this.requests.push({ method, path, lastEventId: headers["last-event-id"] })
        const fault = this.fault(method)
        if (fault === "request" || !this.target) return socket.destroy()
        const passed = request({ port: this.target, host: "127.0.0.1", method, path, headers, agent: false }, answer => {
            // A stream does not end, so it is lost at its head.
            if (fault === "answer") return method === "GET" ? socket.destroy() : answer.resume().on("end", () => socket.destroy())
            outgoing.writeHead(answer.statusCode, answer.headers)
            answer.on("error", () => socket.destroy())
            answer.pipe(outgoing)
        })
        passed.on("error", () => socket.destroy())
        outgoing.on("close", () => passed.destroy())
        incoming.pipe(passed)
    }
}
