import assert from "node:assert/strict"
import { test } from "node:test"
import { apply, Entries, keysOf, Travel } from "./support/model.js"
import { Random } from "./support/random.js"
import { Session } from "./support/session.js"

const isPromise = value => value instanceof Promise

test("each state is that of a naive application of all patches", async () => {
    for (let seed = 1; seed <= 6; seed++) {
        const random = new Random(seed)
        const session = new Session(seed, 300 + random.below(500))
        const entries = new Entries(session.readPage)
        const travel = new Travel(session.readState, entries)
        travel.keep(session.revision, session.states.at(-1))
        for (let step = 0; step < 100; step++) {
            if (random.chance(0.1)) await entries.older()
            if (random.chance(0.3)) commit(session, entries, travel, random)
            const revision = random.below(session.revision + 1)
            assert.deepEqual(await travel.at(revision), session.states[revision], `seed ${seed}, revision ${revision}`)
        }
    }
})

function commit(session, entries, travel, random) {
    const { patch, after } = random.patch(session.states.at(-1))
    const { patch: known, ...bare } = session.commit(apply(session.states.at(-1), patch), patch, random)
    assert.deepEqual(session.states.at(-1), after)
    if (random.chance(0.9)) entries.add(random.chance(0.5) ? bare : { ...bare, patch: known })
    if (random.chance(0.9)) travel.keep(session.revision, session.states.at(-1))
}

test("inside the loaded window no step needs a request", async () => {
    const session = new Session(7, 1000)
    const entries = new Entries(session.readPage)
    const travel = new Travel(session.readState, entries)
    travel.keep(1000, session.states[1000])
    for (let page = 0; page < 3; page++) {
        await entries.older()
        await travel.at(entries.oldest)
    }
    assert.equal(entries.oldest, 401)
    session.requests.length = 0
    for (let revision = 1000; revision >= 400; revision--) {
        const state = travel.at(revision)
        assert.ok(!isPromise(state))
        assert.deepEqual(state, session.states[revision])
    }
    for (const revision of [400, 1000, 401, 999, 600, 800]) assert.deepEqual(travel.at(revision), session.states[revision])
    assert.deepEqual(session.requests, [])
    assert.ok(isPromise(travel.at(399)))
})

test("one step reads one patch, also backwards, and shares what it does not touch", async () => {
    const session = new Session(3, 400, { big: { a: [1, 2, 3] }, tasks: {} })
    const entries = new Entries(session.readPage)
    const travel = new Travel(session.readState, entries)
    while (await entries.older());
    await travel.at(1)
    travel.at(400)
    let reads = 0
    const get = entries.get.bind(entries)
    entries.get = revision => (reads++, get(revision))
    for (let revision = 399; revision > 0; revision--) {
        reads = 0
        const [later, state] = [travel.at(revision + 1), travel.at(revision)]
        assert.ok(reads <= 4, `${reads} patches for one step`)
        const pointers = get(revision + 1).patch.flatMap(({ path, from = path }) => [path, from])
        const touched = new Set(pointers.map(pointer => keysOf(pointer)[0]))
        // A kept state may have come the other way.
        if (revision % 200 > 1 && revision % 200 < 199) for (const key of Object.keys(state)) if (!touched.has(key)) assert.equal(state[key], later[key])
    }
})

test("states outside the window are asked for once, and their neighbours are there", async () => {
    const session = new Session(5, 500)
    const entries = new Entries(session.readPage)
    const travel = new Travel(session.readState, entries)
    const [one, other] = await Promise.all([travel.at(50), travel.at(50)])
    assert.deepEqual(one, session.states[50])
    assert.equal(one, other)
    assert.deepEqual(session.requests, ["state 50"])
    while (await entries.older());
    session.requests.length = 0
    for (let revision = 50; revision <= 500; revision++) assert.ok(!isPromise(travel.at(revision)))
    assert.deepEqual(session.requests, [])
    assert.ok(isPromise(travel.at(49)))
})

test("what is too far for a walk is asked for, and brings its neighbours with it", async () => {
    const session = new Session(4, 1000, { untouched: [1], tasks: {} })
    const entries = new Entries(session.readPage)
    const travel = new Travel(session.readState, entries)
    travel.keep(1000, session.states[1000])
    while (await entries.older());
    await travel.at(999)
    session.requests.length = 0
    assert.ok(!travel.has(100))
    assert.deepEqual(await travel.at(500), session.states[500])
    assert.deepEqual(session.requests, ["state 300"])
    assert.ok(travel.has(301) && travel.has(700) && !travel.has(299))
    assert.equal(travel.at(450).untouched, travel.at(500).untouched)
})

test("a state that is gone is a problem, and that above it is asked for itself", async () => {
    const session = new Session(5, 300)
    const entries = new Entries(session.readPage)
    const travel = new Travel(session.readState, entries)
    await entries.older()
    session.oldest = 150
    await assert.rejects(travel.at(100), { code: "revision-gone" })
    assert.deepEqual(await travel.at(200), session.states[200])
})

test("the live state tells what has changed", () => {
    const entries = new Entries(async () => ({ actions: [], next: null }))
    const travel = new Travel(async () => assert.fail("a request"), entries)
    const [one, two, three] = [{ a: 1, b: [] }, { a: 2, b: [] }, { a: 2, b: [1], c: {} }]
    assert.equal(travel.keep(7, one), undefined)
    entries.add({ revision: 8, type: "a/b", at: "" })
    assert.deepEqual(travel.keep(8, two), ["/a"])
    assert.deepEqual(entries.get(8).patch.map(({ op, path }) => [op, path]), [["replace", "/a"]])
    assert.deepEqual(travel.keep(10, three), ["/b/0", "/c"])
    assert.deepEqual(travel.keep(10, three), [])
    assert.deepEqual([travel.at(10), travel.at(8), travel.at(7)], [three, two, one])
    assert.ok(!travel.has(9))
    assert.equal(travel.keep(3, one), undefined)
    assert.ok(!travel.has(10))
})

test("the changes between any two revisions are found, also backwards", async () => {
    const session = new Session(9, 60)
    const entries = new Entries(session.readPage)
    const travel = new Travel(session.readState, entries)
    await entries.older()
    const { changes, isCut } = await travel.changes(40, 10)
    assert.equal(isCut, false)
    const patch = changes.map(({ sign, pointer, after }) => ({ op: { "+": "add", "-": "remove", "~": "replace" }[sign], path: pointer, value: after }))
    assert.deepEqual(apply(session.states[40], patch), session.states[10])
    assert.equal((await travel.changes(0, 60, 1)).changes.length, 1)
})
