// Lets the conformance kit drive this client: JSON lines in and out, and a clock that the kit moves.
import { createInterface } from "node:readline"
import { reject } from "../src/index.js"
import { createStore } from "../src/store.js"

const tell = line => process.stdout.write(JSON.stringify(line) + "\n")

/** Lets all promises run whose values are there, and reads what the sockets have. */
const settle = () => new Promise(resolve => setImmediate(resolve))

// ---- The reducer of the kind `app`, as far as the kit uses it

const place = ({ betslip }, { id }) => betslip.selections.findIndex(selection => selection.id === id)
const withSlip = (state, slip) => {
    const betslip = { ...state.betslip, ...slip }
    return { ...state, betslip: { ...betslip, totalStake: betslip.selections.reduce((sum, { stake }) => sum + stake, 0) } }
}
const count = sign => (state, { by = 1 }) => ({ ...state, counter: { count: state.counter.count + sign * by } })
const reducers = {
    "counter/increment": count(1),
    "counter/decrement": count(-1),
    "user/balanceIncrease": (state, { value }) => ({ ...state, user: { balance: state.user.balance + value } }),
    "betslip/addSelection"(state, { id, event, outcome, odds }) {
        const { selections } = state.betslip
        if (place(state, { id }) >= 0) return reject("duplicate-selection")
        if (selections.length >= 20) return reject("betslip-full")
        return withSlip(state, { selections: [...selections, { id, event, outcome, odds, stake: 0 }] })
    },
    "betslip/setStake"(state, { id, stake }) {
        const at = place(state, { id })
        if (at < 0) return reject("no-such-selection")
        return withSlip(state, { selections: state.betslip.selections.map((one, i) => (i === at ? { ...one, stake } : one)) })
    },
    "betslip/removeSelection"(state, { id }) {
        const at = place(state, { id })
        if (at < 0) return reject("no-such-selection")
        return withSlip(state, { selections: state.betslip.selections.filter((_, i) => i !== at) })
    },
    "betslip/placeBet"(state) {
        const { selections, placed, totalStake } = state.betslip
        if (!selections.length) return reject("empty-betslip")
        if (selections.some(({ stake }) => !stake)) return reject("missing-stake")
        if (totalStake > state.user.balance) return reject("insufficient-balance")
        const bets = selections.map((selection, i) => {
            const potentialReturn = Math.floor((selection.stake * selection.odds) / 100)
            return { bet: placed.length + 1 + i, ...selection, potentialReturn }
        })
        const user = { balance: state.user.balance - totalStake }
        return withSlip({ ...state, user }, { selections: [], placed: [...placed, ...bets] })
    },
}

// ---- The surroundings of the client

class Clock {
    time = 0
    #timers = new Map()
    #count = 0
    #told = ""

    set = (run, delay) => {
        this.#timers.set(++this.#count, { at: this.time + Math.max(0, delay), run })
        this.#tell()
        return this.#count
    }

    clear = id => {
        if (this.#timers.delete(id)) this.#tell()
    }

    async advance(to) {
        for (;;) {
            const [next] = [...this.#timers].sort((a, b) => a[1].at - b[1].at || a[0] - b[0])
            if (!next || next[1].at > to) break
            this.#timers.delete(next[0])
            this.time = Math.max(this.time, next[1].at)
            next[1].run()
            await settle()
        }
        this.time = Math.max(this.time, to)
        this.#tell()
    }

    #tell() {
        const due = this.#timers.size ? Math.min(...[...this.#timers.values()].map(({ at }) => at)) : null
        const line = { timer: due, count: this.#timers.size }
        if (JSON.stringify(line) !== this.#told) tell(line)
        this.#told = JSON.stringify(line)
    }
}

const clock = new Clock()
let hear = () => {}
let isHidden = false

const environment = random => ({
    fetch: (url, init) => fetch(url, init),
    now: () => clock.time,
    wall: () => clock.time,
    setTimeout: clock.set,
    clearTimeout: clock.clear,
    random,
    id: () => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url"),
    frame: paint => paint(),
    page: { isHidden: () => isHidden, listen: listener => ((hear = listener), () => (hear = () => {})) },
})

// ---- The store, and what it shows

let store
let sent = "" // the entry that is being sent
let token
let shown = ""
const names = new WeakMap() // actions of an entry → its name
const ran = new Set() // actions that the last replay has run
const tokens = [] // who waits for a token

const nameOf = actions => names.get(actions) ?? (names.set(actions, sent), sent)

function reducer(state, action) {
    if (state === store?.confirmed) ran.clear()
    const next = reducers[action.type]?.(state, action.payload ?? {})
    if (next !== undefined && next !== reject && typeof next === "object" && "counter" in next) ran.add(action)
    return next
}

function show() {
    if (!store) return
    const { pending, confirmed = null, state = null } = store
    const [revision, history = null] = store.etag.split(".")
    const isReplayed = state !== confirmed
    const predicted = pending.filter(({ actions }) => isReplayed && actions.every(action => ran.has(action)))
    const reasons = Object.fromEntries(pending.flatMap(({ actions, reason }) => (reason ? [[nameOf(actions), reason]] : [])))
    const value = {
        revision: +revision, history, confirmed, shown: state, pending: pending.map(({ actions }) => nameOf(actions)),
        predicted: predicted.map(({ actions }) => nameOf(actions)), reasons,
    }
    const line = JSON.stringify({ value })
    if (line !== shown) process.stdout.write((shown = line) + "\n")
}

function askToken(reason) {
    if (token !== undefined && reason !== "unauthorized") return token
    tell({ token: reason })
    return new Promise(resolve => tokens.push(resolve))
}

const commands = {
    connect({ url, select, create, unknown, random = [0.5], token: first }) {
        let turn = 0
        token = first
        const options = { select, create: create ? "app" : undefined, unknown, reducer, token: first && askToken }
        store = createStore(url, options, environment(() => random[turn++ % random.length]))
        store.subscribe(show)
        store.onConnection(({ status, isStale, reason }) => tell({ connection: { status, isStale, reason } }))
        store.onReport(({ kind, entries = [] }) => tell({ report: { kind, entries: entries.map(nameOf) } }))
        tell({ connection: store.connection })
    },
    send({ entry, action, actions, ifMatch }) {
        sent = entry
        let isPending = false
        const stop = store.onTrace(({ phase }) => (isPending ||= phase === "pending"))
        const promise = store.dispatch(actions ?? action, { ifMatch: ifMatch === "confirmed" ? store.etag : ifMatch })
        stop()
        if (!isPending) return promise.then(() => ({}), error => ({ error: error.name }))
        const done = outcome => (show(), tell({ outcome: { entry, ...outcome } }))
        promise.then(
            ({ outcome, revision }) => done({ outcome, revision }),
            error => done({ outcome: outcomeOf(error), revision: error.revision, reason: error.reason, code: error.code }),
        )
    },
    flush: () => store.flush(),
    observe() {},
    setToken({ token: next }) {
        token = next
        if (tokens.length) tokens.splice(0).forEach(resolve => resolve(next))
        else store.setToken(next)
    },
    signOut: () => store.signOut(),
    hide: () => ((isHidden = true), hear("hidden")),
    show: () => ((isHidden = false), hear("visible")),
    offline: () => hear("offline"),
    online: () => hear("online"),
    advance: ({ to }) => clock.advance(to),
    sleep({ to }) {
        clock.time = to
        return clock.advance(to)
    },
    close: () => store.close(),
}
commands.sendAll = commands.send

function outcomeOf({ name, outcome }) {
    return { OutcomeUnknown: "unknown", ConnectionEnded: "ended" }[name] ?? outcome
}

tell({ hello: { protocol: 1, name: "javascript", capabilities: ["reducer", "visibility"] } })
let last = Promise.resolve()
for await (const line of createInterface({ input: process.stdin })) {
    const { do: command, id, ...members } = JSON.parse(line)
    const run = async () => {
        const result = await commands[command](members)
        await settle()
        tell({ done: id, ...(result?.error && { error: result.error }) })
    }
    // Only `flush` waits for the network.
    if (command === "flush") run()
    else last = last.then(run)
}
