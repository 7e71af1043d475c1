// Lets the conformance kit drive this client: JSON lines in and out, a clock that the kit moves, and several tabs of one browser.
// An argument names a fault of the browser, which the kit must notice.
import { createInterface } from "node:readline"
import { reject, StorehouseError } from "../src/index.js"
import { createStore } from "../src/store.js"
import { Clock, settle } from "./conformance/clock.js"
import { disk, fill, forgetDisks } from "./conformance/disk.js"
import { reducers } from "./conformance/kind.js"
import { Names } from "./conformance/names.js"
import { Tab } from "./conformance/tab.js"

const fault = process.argv[2]
const planted = {
    everyTabLeads: "one-stream-for-eight", noLockIsStolen: "leader-frozen", resultsAreLost: "leader-changes-with-request-in-flight",
    entriesAreLost: "follower-sends", eventsAreLost: "one-stream-for-eight",
}
const { error: complain } = console
// The kit looks at refusals, the end of a connection and reports, and not at the console.
console.error = (first, ...more) => first instanceof StorehouseError || more.length || complain(first)
const write = line => process.stdout.write(JSON.stringify(line) + "\n")
const pages = new Map()
let clock, names

/** Begins as a new process does: all tabs are gone, and nobody hears of them. */
function begin() {
    for (const page of pages.values()) page.kill()
    pages.clear()
    forgetDisks()
    names = new Names()
    const own = (clock = new Clock(line => own === clock && write(line)))
}

const errors = { QuotaExceededError: "DiskFull" }
const outcomeOf = ({ name: error, outcome }) => ({ OutcomeUnknown: "unknown", ConnectionEnded: "ended" })[error] ?? outcome

/** A tab with its store, and what it shows. */
class Page {
    #name
    #tab = new Tab()
    #store
    #token
    #tokens = [] // who waits for a token
    #shown = ""
    #ran = new Set() // actions that the last replay has run
    #own = new Set() // keys of the entries that this tab has sent
    #names = names.ofTab()
    #sent // the entry that is being sent

    constructor(tabName) {
        this.#name = tabName
    }

    #tell(line) {
        if (pages.get(this.#name) === this) write(this.#name ? { ...line, tab: this.#name } : line)
    }

    // ---- What the store shows

    #reducer = (state, action) => {
        if (state === this.#store?.confirmed) this.#ran.clear()
        const next = reducers[action.type]?.(state, action.payload ?? {})
        if (next !== undefined && next !== reject && typeof next === "object" && "counter" in next) this.#ran.add(action)
        return next
    }

    #show() {
        if (!this.#store) return
        const { pending, confirmed = null, state = null, etag } = this.#store
        const [revision, history = null] = etag.split(".")
        const isReplayed = state !== confirmed
        // In the order of the outbox, because entries with the same actions can be told apart by nothing else.
        const named = pending.map(({ actions, reason }) => ({ actions, reason, name: this.#nameOf(actions) }))
        const predicted = named.filter(({ actions }) => isReplayed && actions.every(action => this.#ran.has(action)))
        const reasons = Object.fromEntries(named.flatMap(({ name, reason }) => (reason ? [[name, reason]] : [])))
        const value = {
            revision: +revision, history, confirmed, shown: state, pending: named.map(({ name }) => name),
            predicted: predicted.map(({ name }) => name), reasons,
        }
        const text = JSON.stringify(value)
        if (text !== this.#shown) this.#tell({ value })
        this.#shown = text
    }

    /** An entry is shown before the store tells its key. */
    #nameOf(actions) {
        return this.#names.has(actions) || this.#sent === undefined ? this.#names.of(actions) : this.#sent
    }

    #done(entry, outcome) {
        this.#show()
        this.#tell({ outcome: { entry, ...outcome } })
    }

    /** Entries that were sent before a kill have no promise. */
    #traced({ phase, entry, result }) {
        if (phase === "pending") {
            this.#own.add(entry.key)
            this.#names.add(entry, this.#sent)
        }
        if (phase !== "done" || this.#own.has(entry.key)) return
        // Of several tabs, the one that sent the entry tells.
        if ([...pages.values()].some(page => page.#own.has(entry.key))) return
        const { outcome, revision, problem } = result
        this.#own.add(entry.key)
        this.#done(names.byKey(entry.key), { outcome, revision, reason: problem?.reason, code: problem?.code })
    }

    #askToken(reason) {
        if (this.#token !== undefined && reason !== "unauthorized") return this.#token
        this.#tell({ token: reason })
        return new Promise(resolve => this.#tokens.push(resolve))
    }

    // ---- Commands

    connect({ url, select, create, unknown, version, storage, random = [0.5], token, locks }) {
        let turn = 0
        if (storage) names.load(storage, disk(storage))
        this.#token = token
        const options = {
            select, unknown, version, create: create === true ? "app" : create, reducer: this.#reducer, secret: ["login/enteringCredential"],
            token: token && (reason => this.#askToken(reason)), user: token, storage: storage && "indexeddb",
        }
        const environment = this.#tab.environment(clock, () => random[turn++ % random.length], { storage, locks }, fault)
        const store = (this.#store = createStore(url, options, environment))
        store.subscribe(() => this.#show())
        store.onTrace(trace => this.#traced(trace))
        store.onConnection(({ status, isStale, reason }) => this.#tell({ connection: { status, isStale, reason } }))
        store.onReport(({ kind, entries = [] }) => this.#tell({ report: { kind, entries: entries.map(actions => this.#nameOf(actions)) } }))
    }

    async send({ entry, action, actions, ifMatch }) {
        const store = this.#store
        this.#sent = entry
        let failed
        const promise = store.dispatch(actions ?? action, { ifMatch: ifMatch === "confirmed" ? store.etag : ifMatch })
        this.#sent = undefined
        promise.stored.catch(error => (failed = errors[error.name] ?? error.name))
        const done = outcome => outcome.outcome && this.#done(entry, outcome)
        promise.then(
            ({ outcome, revision }) => done({ outcome, revision }),
            error => done({ outcome: outcomeOf(error), revision: error.revision, reason: error.reason, code: error.code }),
        )
        await settle()
        return { error: failed }
    }

    sendAll(members) {
        return this.send(members)
    }

    flush() {
        return this.#store.flush()
    }

    observe() {}

    setToken({ token }) {
        this.#token = token
        if (this.#tokens.length) this.#tokens.splice(0).forEach(resolve => resolve(token))
        else this.#store.setToken(token)
    }

    signOut() {
        return this.#store.signOut()
    }

    hide() {
        this.#tab.hide()
    }

    show() {
        this.#tab.show()
    }

    offline() {
        this.#tab.hear("offline")
    }

    online() {
        this.#tab.hear("online")
    }

    freeze() {
        this.#tab.freeze()
    }

    thaw() {
        this.#tab.thaw()
    }

    shut() {
        this.#tab.shut()
    }

    kill() {
        this.#tab.kill()
    }

    reset() {
        begin()
    }

    disk({ isFull }) {
        fill(isFull)
    }

    advance({ to }) {
        return clock.advance(to)
    }

    sleep({ to }) {
        clock.time = to
        return clock.advance(to)
    }

    close() {
        this.#store.close()
    }
}

const pageOf = tab => pages.get(tab) ?? (pages.set(tab, new Page(tab)), pages.get(tab))

write({ hello: { protocol: 1, name: "javascript", capabilities: ["reducer", "visibility", "disk", "tabs", "reset"], faults: planted } })
begin()
let last = Promise.resolve()
for await (const line of createInterface({ input: process.stdin })) {
    const { do: command, id, tab, ...members } = JSON.parse(line)
    const run = async () => {
        const result = await pageOf(tab)[command](members)
        await settle()
        write({ done: id, ...(result?.error && { error: result.error }) })
    }
    // Only `flush` waits for the network.
    if (command === "flush") run()
    else last = last.then(run)
}
