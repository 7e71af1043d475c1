import assert from "node:assert/strict"
import { createServer } from "node:http"
import { test } from "node:test"
import * as bundle from "../storehouse.js"
import * as source from "../src/index.js"
import { Clock } from "./support/clock.js"
import { reducer } from "./support/kind.js"
import { Server } from "./support/server.js"

/** The scripted server behind real sockets, for the `fetch`, streams and timers of the platform. */
async function listen(server, sockets = new Set()) {
    const http = createServer(async (request, response) => {
        const url = new URL(request.url, "http://host")
        if (request.method === "POST") {
            const chunks = []
            for await (const chunk of request) chunks.push(chunk)
            const { status, body } = server.sync(JSON.parse(Buffer.concat(chunks)))
            const type = status === 200 ? "application/json" : "application/problem+json"
            return response.writeHead(status, { "Content-Type": type }).end(JSON.stringify(body))
        }
        response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" })
        const query = Object.fromEntries(url.searchParams)
        const write = text => response.write(text)
        const { stream } = server.subscribe(query, request.headers["last-event-id"], write, () => response.end())
        response.on("close", () => server.leave(stream))
    })
    http.on("connection", socket => sockets.add(socket))
    await new Promise(resolve => http.listen(0, "127.0.0.1", resolve))
    const close = () => {
        http.close()
        sockets.forEach(socket => socket.destroy())
    }
    return { url: `http://127.0.0.1:${http.address().port}/sessions/abcdefghijklmnopqrstuv`, close }
}

const until = (subscribe, condition) =>
    new Promise(resolve => {
        const stop = subscribe(() => {
            if (!condition()) return
            queueMicrotask(() => stop())
            resolve()
        })
    })

test("an address without a session, and a storage that there is not, throw at once", () => {
    const address = "https://host/base/sessions/abcdefghijklmnopqrstuv"
    assert.throws(() => source.connect("https://host/"), TypeError)
    assert.throws(() => source.connect(address + "/state"), TypeError)
    assert.throws(() => source.connect(address, { storage: "indexedDB" }), TypeError)
    for (const url of [address, "https://host/shared/a", "https://host/sessions/me?store=app"]) source.connect(url).close()
})

for (const [name, { connect, ActionRejected }] of Object.entries({ src: source, "storehouse.js": bundle })) {
    test(`${name} works with the fetch and the timers of the platform`, async () => {
        const server = new Server(new Clock())
        const { url, close } = await listen(server)
        const store = connect(url, { reducer })
        assert.deepEqual(await store.ready, { count: 0, items: [], note: "", isLoading: false })
        const promise = store.dispatch({ type: "counter/increment", payload: { by: 2 } })
        assert.equal(store.state.count, 2)
        assert.deepEqual(await promise, { outcome: "committed", revision: 1, effects: [] })
        await assert.rejects(store.dispatch({ type: "internal" }), error => error instanceof ActionRejected && error.name === "ActionRejected")
        const changed = until(store.subscribe, () => store.state.note === "€😀")
        server.act({ type: "note/set", payload: { text: "€😀" } })
        await changed
        const resumed = until(store.subscribe, () => store.state.count === 3)
        server.cut()
        server.act({ type: "counter/increment" })
        await resumed
        store.close()
        assert.equal(store.connection.reason, "closed")
        close()
    })
}
