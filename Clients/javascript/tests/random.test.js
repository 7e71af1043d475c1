import assert from "node:assert/strict"
import { mock, test } from "node:test"
import { seeded, settle } from "./support/clock.js"
import { add, increment, newBrowser, World } from "./support/world.js"

mock.method(console, "error", () => {}) // some of the actions are wrong

const runs = Number(process.env.RUNS ?? 200)
const first = Number(process.env.SEED ?? 1)
const isIncrement = ({ type }) => type === "counter/increment"
const problem = (status, code, headers) => ({ status, body: { status, code }, headers })

/** One server, some browsers, and faults as a seed says. */
class Run {
    world = new World()
    tabs = []
    acknowledged = new Map() // id → {history, revision}
    unknown = new Set()
    lost = new Set() // committed in a history that is gone
    refused = new Set()
    restored = [] // {history, revision}: later revisions of this history are lost
    #id = 0

    constructor(seed) {
        this.random = seeded(seed)
        this.world.random = seeded(seed + 1e6)
        this.chance = part => this.random() < part
        this.pick = list => list[Math.floor(this.random() * list.length)]
        const { network } = this.world
        network.isPiecemeal = this.chance(0.5)
        network.split = bytes => this.#split(bytes)
        network.streamDelay = () => (this.chance(0.5) ? 0 : Math.floor(this.random() * 80))
        this.rate = this.pick([0.02, 0.1, 0.3])
        network.fault = () => this.#fault()
        const browsers = 1 + Math.floor(this.random() * 3)
        for (let i = 0; i < browsers; i++) {
            const how = { browser: newBrowser() }
            const storage = this.chance(0.7) ? "indexeddb" : "memory"
            const pages = storage === "indexeddb" ? this.pick([1, 2, 3]) : 1
            for (let page = 0; page < pages; page++) this.open({ storage }, how)
        }
    }

    open(options, how) {
        const tab = this.world.open(options, how)
        Object.assign(tab, { options, how, own: new Set(), history: undefined, count: 0, counting: [], revision: -1, order: [] })
        tab.store.subscribe(() => this.#check(() => this.#observe(tab)))
        tab.store.onReport(({ kind, entries }) => {
            if (kind === "unknown") for (const { payload } of entries.flat()) this.unknown.add(payload?.id)
            tab.isForgotten ||= kind === "unknown"
            this.#check(() => assert.notEqual(kind, "patch"))
        })
        this.tabs.push(tab)
    }

    #split(bytes) {
        if (this.chance(0.7)) return [bytes]
        const at = Math.floor(this.random() * bytes.length)
        return [bytes.slice(0, at), bytes.slice(at)].filter(({ length }) => length)
    }

    #fault() {
        if (this.isCalm || !this.chance(this.rate)) return { delay: this.isCalm || this.chance(0.5) ? 0 : Math.floor(this.random() * 100) }
        return this.pick([
            { loseRequest: true }, { loseAnswer: true }, { loseAnswer: true }, { twice: true }, { hang: true },
            problem(500, "internal-error"), problem(503, "draining", { "Retry-After": "1" }), problem(429, "rate-limited", { "Retry-After": "2" }),
            { status: 200, body: "<html>", type: "text/html" }, { status: 502, body: "<html>", type: "text/html" },
        ])
    }

    // ---- Invariants that hold at each moment

    #check(claim) {
        try {
            claim()
        } catch (error) {
            this.failure ??= error
        }
    }

    #observe(tab) {
        const { store } = tab
        if (store.state === undefined) return
        const [revision, history] = store.etag.split(".")
        const isSame = history === tab.history
        const counting = store.pending.flatMap(({ actions }) => actions).filter(isIncrement).map(({ payload }) => payload.id)
        assert.deepEqual(store.confirmed, this.world.server.histories.get(history)[revision], "a confirmed state is one of the server")
        if (isSame) {
            assert.ok(+revision >= tab.revision, "confirmed states are in order")
            // Entries that were committed and lost in a history that the tab has not seen were shown until now.
            const lost = tab.counting.filter(id => this.lost.has(id) && !counting.includes(id)).length
            const isGrowing = tab.isForgotten || this.mayForget || store.state.count >= tab.count - lost
            assert.ok(isGrowing, `a counter that only grows never shrinks: ${store.etag} ${tab.count} ${store.state.count}`)
        } else tab.own.clear() // entries may be lost with a history
        const { items } = store.state
        // Where a record was forgotten, nobody can tell whether the value contains an entry.
        assert.ok(this.mayForget || new Set(items).size === items.length, `an entry is shown twice: ${items}`)
        for (const id of tab.own) {
            assert.ok(items.includes(id) || this.unknown.has(id), `an entry is not shown: ${id}`)
        }
        Object.assign(tab, { history, revision: +revision, count: store.state.count, counting })
    }

    // ---- Steps

    step() {
        const tab = this.pick(this.tabs)
        const { server } = this.world
        const choice = this.random()
        if (choice < 0.6) this.#dispatch(tab)
        else if (choice < 0.75) server.act(increment())
        else if (choice < 0.8) server.cut()
        else if (choice < 0.84) tab.isHidden ? tab.show() : tab.hide()
        else if (choice < 0.87 && !tab.isFrozen) tab.freeze()
        else if (choice < 0.9) this.#wake(tab)
        else if (choice < 0.92 && tab.options.storage === "indexeddb") this.#replace(tab)
        else if (choice < 0.93) this.backup = server.backup()
        else if (choice < 0.94 && this.backup) this.#restore()
        else if (choice < 0.945 && this.mayForget) server.records.clear()
    }

    #wake(tab) {
        tab.thaw()
        tab.show()
    }

    #replace(tab) {
        this.world.kill(tab)
        this.tabs.splice(this.tabs.indexOf(tab), 1)
        this.open(tab.options, tab.how)
    }

    #restore() {
        const { server } = this.world
        this.restored.push({ history: server.history, revision: this.backup.revision })
        for (const { action } of server.log.slice(this.backup.log.length)) this.lost.add(action.payload?.id)
        server.restore(this.backup)
    }

    #dispatch(tab) {
        if (tab.isFrozen) return
        const id = ++this.#id
        const actions = this.pick([
            [add(id)], [add(id)], [add(id), increment(1, id)], [increment(1, id)], [{ type: "touch" }], [{ type: "nothing" }], [{ type: "internal", payload: { id } }],
            [add(id), { type: "counter/limited", payload: { most: 0 } }],
        ])
        if (actions[0].type === "items/add" && actions.at(-1).type !== "counter/limited") tab.own.add(id)
        const isAdd = tab.own.has(id)
        const promise = tab.store.dispatch(actions)
        this.#check(() => this.#observe(tab))
        promise.then(
            ({ outcome, revision }) => {
                if (outcome !== "committed") return
                this.#check(() => assert.ok(tab.order.every(earlier => earlier < id), "results come in order"))
                tab.order.push(id)
                if (isAdd) this.acknowledged.set(id, { history: tab.store.etag.split(".")[1], revision })
            },
            error => {
                tab.own.delete(id)
                if (error.name === "OutcomeUnknown") this.unknown.add(id)
                else if (error.name === "ActionRejected") this.refused.add(id)
                else this.#check(() => assert.fail(error))
            },
        )
    }

    // ---- The end

    async finish() {
        const { server, network, clock } = this.world
        this.isCalm = true
        for (const tab of this.tabs) this.#wake(tab)
        await this.world.advance(40000) // requests that hang
        for (const tab of this.tabs) tab.hear("online")
        await this.world.advance(5000)
        for (const { store } of this.tabs) {
            assert.deepEqual(store.pending, [], "nothing is pending")
            assert.deepEqual(store.state, server.state, "all are equal to the server")
            assert.equal(store.connection.status, "live")
        }
        const { items } = server.state
        assert.equal(new Set(items).size, items.length, "an entry is committed twice: " + items)
        for (const [id, { history, revision }] of this.acknowledged) {
            const isLost = this.restored.some(lost => lost.revision < revision || lost.history !== history)
            assert.ok(items.includes(id) || isLost, `an acknowledged entry is not committed: ${id}`)
        }
        for (const id of items) assert.ok(!this.refused.has(id), `a refused entry is committed: ${id}`)
        assert.ok(network.open <= this.tabs.length)
        assert.ok(clock.timers <= 6 * this.tabs.length + 3, `${clock.timers} timers`)
        for (const { browser, options } of this.tabs) if (options.storage === "indexeddb") assert.equal(browser.disk.rows.length, 0)
    }
}

/** @param {number} seed */
async function runWith(seed) {
    const run = new Run(seed)
    run.mayForget = seed % 4 === 0
    try {
        const steps = 100 + Math.floor(run.random() * 200)
        for (let i = 0; i < steps && !run.failure; i++) {
            run.step()
            await run.world.advance(run.pick([0, 0, 1, 20, 200, 2000]))
        }
        await run.finish()
        if (run.failure) throw run.failure
    } catch (error) {
        throw new Error(`seed ${seed}: ${(run.failure ?? error).message}`, { cause: run.failure ?? error })
    }
}

test(`random runs ${first} to ${first + runs - 1}`, async () => {
    for (let seed = first; seed < first + runs; seed++) await runWith(seed)
})

// A server that was restored while `ready` or an answer was on its way, or once more while it was not seen; and a follower before
// the first state; and a page that was frozen before `ready`.
for (const seed of [20308, 20365, 25054, 23087, 42506]) test(`the random run ${seed}, which once failed`, () => runWith(seed))

test("10 000 increments with faults never jump back", async () => {
    const world = new World()
    const random = seeded(7)
    world.random = seeded(8)
    world.network.streamDelay = () => Math.floor(random() * 30)
    world.network.fault = () => (random() < 0.1 ? { loseAnswer: true } : { delay: Math.floor(random() * 30) })
    const tab = await world.live()
    await world.advance(1000)
    let shown = 0
    let jumps = 0
    tab.store.subscribe(() => {
        if (tab.store.state.count < shown) jumps++
        shown = tab.store.state.count
    })
    for (let i = 0; i < 10000; i++) {
        tab.store.dispatch(increment()).catch(() => {})
        if (i % 20 === 0) await world.advance(Math.floor(random() * 60))
        if (tab.store.pending.length > 900) await world.advance(2000)
        if (random() < 0.005) world.server.cut()
    }
    await world.advance(60000)
    assert.equal(jumps, 0)
    assert.equal(world.server.state.count, 10000)
    assert.equal(tab.store.state.count, 10000)
})

test("a server that refuses gets no more than one request a second", async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
        const world = new World()
        world.random = seeded(seed)
        world.network.fault = () => problem(503, "draining")
        const tab = world.open()
        for (let i = 0; i < 10; i++) tab.store.dispatch(increment())
        await world.advance(120000)
        assert.ok(world.network.requests.length <= 120, `${world.network.requests.length} requests`)
    }
    await settle()
})
