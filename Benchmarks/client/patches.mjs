import { connect } from "../../Clients/javascript/storehouse.js"
import { median } from "./statistics.mjs"

const entities = 1000
const events = 1000
const event = (type, id, data) => `event: ${type}\nid: ${id}.history\ndata: ${JSON.stringify(data)}\n\n`
const encode = text => new TextEncoder().encode(text)

function state() {
    const items = Array.from({ length: entities }, (_, id) => [id, { id, title: "title " + id, done: false }])
    return { items: { entities: Object.fromEntries(items), ids: items.map(([id]) => id) } }
}

const first = encode(
    event("state", 0, { revision: 0, state: state() }) +
    event("ready", 0, { revision: 0, history: "history", heartbeat: 15, maxBody: 65536, store: "bench", version: "1" }))

const patch = revision => {
    const path = `/items/entities/${(revision * 7919) % entities}/title`
    return event("patch", revision, { revision, patch: [{ op: "replace", path, value: "changed " + revision }] })
}

/** Milliseconds for all events, so many in each read; one read is one turn. */
async function milliseconds(perTurn) {
    const turns = Array.from({ length: events / perTurn }, (_, turn) =>
        encode(Array.from({ length: perTurn }, (_, i) => patch(1 + turn * perTurn + i)).join("")))
    let start = () => {}
    const go = new Promise(resolve => (start = resolve))
    globalThis.fetch = async () => {
        const body = new ReadableStream({
            async start(controller) {
                controller.enqueue(first)
                await go
                for (const turn of turns) controller.enqueue(turn)
            },
        })
        return new Response(body, { headers: { "Content-Type": "text/event-stream" } })
    }
    const store = connect("http://host/sessions/any")
    await store.ready
    const done = new Promise(resolve => store.subscribe(() => store.revision === events && resolve()))
    const begin = performance.now()
    start()
    await done
    const took = performance.now() - begin
    store.close()
    return took
}

/** @param {number} count of measurements after as many to warm up */
export async function patches(count) {
    const result = {}
    for (const perTurn of [1, 50]) {
        for (let i = 0; i < count; i++) await milliseconds(perTurn)
        const took = []
        for (let i = 0; i < count; i++) took.push(await milliseconds(perTurn))
        result[`by${perTurn}`] = median(took)
    }
    return result
}
