import { equal } from "../../src/patch.js"
import { decide, initial } from "./kind.js"

const heartbeat = 15000

/** A session as the server keeps it: state, log, and the records of clients. Time comes from a clock. */
export class Server {
    state = structuredClone(initial)
    revision = 0
    history = "h1"
    version = "1.a"
    maxBody = 65536
    log = [] // {revision, action, client, n}
    states = [this.state]
    histories = new Map([["h1", this.states]]) // all states that ever were
    records = new Map()
    streams = new Set()
    ended = undefined
    isPatchBroken = false
    namesNobody = false
    decided = 0 // entries that were run
    #marks = 0
    #histories = 1

    constructor(clock) {
        this.clock = clock
    }

    // ---- Sync

    /** @returns {{status: number, body: any}} */
    sync({ client, new: isNew, from, entries, ...unknown }) {
        if (Object.keys(unknown).length || !Number.isInteger(from) || from < 1 || entries.length > 100) {
            return problem(422, "invalid-payload")
        }
        if (isNew) {
            if (entries.length || from !== 1) return problem(422, "invalid-payload")
            if (!this.records.has(client)) this.records.set(client, { mark: "m" + ++this.#marks, last: 0, floor: 1, outcomes: new Map() })
        }
        const record = this.records.get(client)
        if (!record) return problem(409, "client-forgotten")
        const bad = entries.some(({ actions }) => !Array.isArray(actions) || actions.some(action => typeof action.type !== "string"))
        if (bad) return problem(422, "invalid-payload")
        if (from < record.floor) return problem(409, "sequence-conflict")
        const conflict = entries.some((entry, i) => {
            const kept = record.outcomes.get(from + i)
            return kept ? !equal(kept.entry, entry) : from + i <= record.last
        })
        if (conflict) return problem(409, "sequence-conflict")
        for (const n of record.outcomes.keys()) if (n < from) record.outcomes.delete(n)
        record.floor = from
        const results = []
        let retryAfter
        for (const [i, entry] of entries.entries()) {
            const n = from + i
            const kept = record.outcomes.get(n)
            if (kept) {
                results.push({ ...kept.result, replayed: true })
                continue
            }
            if (this.limit !== undefined && this.limit-- <= 0) {
                retryAfter = 2.5
                this.limit = undefined
                break
            }
            const result = this.#run(client, n, entry)
            record.outcomes.set(n, { entry, result })
            record.last = n
            results.push(result)
        }
        if (!entries.length) for (const { result } of record.outcomes.values()) results.push({ ...result, replayed: true })
        this.publish()
        const { revision, history } = this
        return { status: 200, body: { mark: record.mark, revision, history, through: record.last, results, retryAfter } }
    }

    #run(client, n, { actions, ifMatch }) {
        this.decided++
        const decided = { n, revision: this.revision }
        const record = this.records.get(client)
        for (const stream of this.streams) {
            stream.touched[record.mark] = n
            if (stream.client === client) stream.isOwn = true
        }
        if (ifMatch && ifMatch !== `${this.revision}.${this.history}`) {
            return { ...decided, outcome: "mismatched", problem: { status: 412, code: "revision-mismatch" } }
        }
        let state = this.state
        const effects = []
        const committed = []
        for (const [index, action] of actions.entries()) {
            const next = decide(state, action)
            if (next.reason) {
                const reason = { status: 409, code: "action-rejected", reason: next.reason, index, revision: this.revision }
                return { ...decided, outcome: "rejected", problem: reason }
            }
            if (next.status) return { ...decided, outcome: "refused", problem: { status: next.status, code: next.code, index } }
            if (!next.state) continue
            state = next.state
            committed.push(action)
            effects.push(...(next.effects ?? []))
        }
        if (!committed.length) return { ...decided, outcome: "ignored" }
        for (const action of committed) this.#commit(action, client, n, action === committed.at(-1) ? state : undefined)
        return { n, outcome: "committed", revision: this.revision, effects }
    }

    keys = new Map()

    /** `POST …/actions` of a server without records. */
    actions(key, actions, ifMatch) {
        const kept = this.keys.get(key)
        if (kept) return kept
        const client = "plain"
        this.records.set(client, { mark: "m0" })
        const { outcome, revision, effects, problem: refused } = this.#run(client, 0, { actions, ifMatch })
        this.records.delete(client)
        for (const stream of this.streams) stream.touched = {}
        this.publish()
        const answer = refused ? { status: refused.status, body: refused } : { status: 200, body: { outcome, revision, effects, state: {} } }
        this.keys.set(key, answer)
        return answer
    }

    /** An action of anybody else. */
    act(...actions) {
        for (const action of actions) this.#commit(action, undefined, undefined, decide(this.state, action).state)
        this.publish()
    }

    #commit(action, client, n, state = this.state) {
        this.state = state
        this.states[++this.revision] = state
        this.log.push({ revision: this.revision, action, client, n, history: this.history })
    }

    // ---- Streams

    /** @returns {{status: number, code?: string, stream?: any}} */
    subscribe({ select, sync: client, changes }, lastEventID, write, close) {
        if (this.ended) return { status: this.ended }
        const stream = { select, client, changes, write, close, touched: {}, isOwn: false, shown: undefined }
        write("retry: 2000\n: heartbeat 15000 ms\n\n")
        const record = this.records.get(client)
        const through = record ? { [record.mark]: record.last } : undefined
        const [, history, revision] = /^(.+)-(\d+)$/.exec(lastEventID ?? "") ?? []
        stream.shown = this.#selected(select)
        if (history !== this.history || !this.states[revision]) this.#send(stream, "state", { state: stream.shown, through })
        else if (!equal(this.#selected(select, +revision), stream.shown)) {
            this.#send(stream, "patch", { patch: diff(this.#selected(select, +revision), stream.shown), through })
        }
        this.#ready(stream)
        this.streams.add(stream)
        this.#beat(stream)
        return { status: 200, stream }
    }

    /** Sends all streams what they have not seen. */
    publish() {
        for (const stream of this.streams) {
            const value = this.#selected(stream.select)
            if (value !== stream.shown && !equal(value, stream.shown)) {
                const through = this.namesNobody ? null : Object.keys(stream.touched).length ? stream.touched : undefined
                const patch = this.isPatchBroken ? [{ op: "remove", path: "/nowhere" }] : diff(stream.shown, value)
                if (stream.changes === "patch") this.#send(stream, "patch", { patch, through })
                else this.#send(stream, "state", { state: value, through })
                if (this.namesNobody && stream.isOwn) this.#ready(stream)
            } else if (stream.isOwn) this.#ready(stream)
            stream.shown = value
            stream.touched = {}
            stream.isOwn = false
        }
    }

    event(type, data) {
        for (const stream of this.streams) this.#write(stream, `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
    }

    #selected(select, revision = this.revision) {
        const state = this.states[revision]
        return select ? state[select.slice(1)] : state
    }

    #send(stream, type, data) {
        const text = JSON.stringify({ revision: this.revision, ...data })
        this.#write(stream, `event: ${type}\nid: ${this.history}-${this.revision}\ndata: ${text}\n\n`)
    }

    #ready(stream) {
        if (this.isOld) return
        const { revision, history, maxBody, version } = this
        const record = this.records.get(stream.client)
        const data = { revision, history, heartbeat: heartbeat / 1000, maxBody, version, store: "test" }
        if (record) Object.assign(data, { mark: record.mark, through: { [record.mark]: record.last } })
        this.#write(stream, `event: ready\ndata: ${JSON.stringify(data)}\n\n`)
    }

    #write(stream, text) {
        stream.write(text)
        this.#beat(stream)
    }

    #beat(stream) {
        this.clock.clearTimeout(stream.timer)
        stream.timer = this.clock.setTimeout(() => {
            if (!this.streams.has(stream)) return
            if (!this.isSilent) stream.write(":\n")
            this.#beat(stream)
        }, heartbeat)
    }

    leave(stream) {
        this.clock.clearTimeout(stream.timer)
        this.streams.delete(stream)
    }

    // ---- Faults

    /** Ends all streams, as a restart does. */
    cut() {
        for (const stream of [...this.streams]) {
            this.leave(stream)
            stream.close()
        }
    }

    close(reason) {
        this.event("closed", { reason })
        this.cut()
    }

    backup() {
        const { state, revision, log, states, records } = this
        return structuredClone({ state, revision, log, states, records })
    }

    /** The session of a backup, in a new history. */
    restore(backup) {
        this.cut()
        Object.assign(this, structuredClone(backup))
        this.history = "h" + ++this.#histories
        this.histories.set(this.history, this.states)
    }

    /** A restart that keeps nothing. */
    reset() {
        const state = structuredClone(initial)
        this.restore({ state, revision: 0, log: [], states: [state], records: new Map() })
    }
}

export const problem = (status, code, members) => ({ status, body: { status, code, ...members } })

/** A JSON Patch between two values. */
function diff(from, to) {
    const isObject = value => typeof value === "object" && value !== null && !Array.isArray(value)
    if (!isObject(from) || !isObject(to)) return [{ op: "replace", path: "", value: to }]
    return Object.keys(to).filter(key => !equal(from[key], to[key])).flatMap(key => {
        const [a, b] = [from[key], to[key]]
        const isLonger = Array.isArray(a) && b.length > a.length && equal(a, b.slice(0, a.length))
        if (isLonger) return b.slice(a.length).map(value => ({ op: "add", path: `/${key}/-`, value }))
        return [{ op: "replace", path: "/" + key, value: b }]
    })
}
