import assert from "node:assert/strict"
import { test } from "node:test"
import {
    addressIn, delta, duration, expiry, formatAddress, grouped, parseAddress, perSecond, Rate, RecentSessions, search,
    SessionList, size, tabs, Times,
} from "./support/model.js"
import { Random, walk } from "./support/random.js"

const id = "9GZ3mXk0cYbq2vT1sQeRpA"

test("an address is read as it was written", () => {
    for (let seed = 1; seed <= 300; seed++) {
        const random = new Random(seed)
        const address = random.chance(0.5) ? { session: id } : { share: random.pick(["abc", "a/b?c#d", "v1.x-y_z", "é%"]) }
        if (random.chance(0.5)) address.at = random.below(100_000)
        if (random.chance(0.5)) address.tab = random.pick(tabs)
        if (random.chance(0.5)) address.b = random.below(10)
        if (random.chance(0.7)) address.q = random.pick(["origin:effect path:/a/~0", "50% & more=1#?+", "é 🦊", "__proto__", "a,b@c"])
        if (random.chance(0.3)) address.lock = true
        if (random.chance(0.3)) address.beside = id.toLowerCase()
        assert.deepEqual(parseAddress(formatAddress(address)), address, formatAddress(address))
    }
    const shown = { session: id, at: 12, tab: "changes", b: 9, q: "origin:effect" }
    assert.equal(formatAddress(shown), `#${id}/at/12/changes?b=9&q=origin:effect`)
    assert.equal(formatAddress({}), "")
})

test("an address that nobody wrote is read as far as it has a meaning", () => {
    assert.deepEqual(parseAddress(""), {})
    assert.deepEqual(parseAddress("#"), {})
    assert.deepEqual(parseAddress(`#${id}`), { session: id })
    assert.deepEqual(parseAddress(`#${id}/at/-1/nonsense?b=x&beside=a/b&q=`), { session: id })
    assert.deepEqual(parseAddress(`#${id}/at/1e3`), { session: id })
    assert.deepEqual(parseAddress("#<script>/at/3"), {})
    assert.deepEqual(parseAddress(`#${id}?q=%E0%A4%A`).session, id)
    assert.deepEqual(parseAddress("#share/%E0%A4%A").share, "%E0%A4%A")
    assert.equal(formatAddress({ session: id, q: "\ud800" }), `#${id}?q=%EF%BF%BD`)
})

test("an id is found in what people paste", () => {
    for (const text of [id, ` ${id}\n`, `http://localhost:8080/sessions/${id}`, `https://x/base/sessions/${id}/state?select=/a`, `http://x/#${id}`])
        assert.deepEqual(addressIn(text), { session: id }, text)
    assert.deepEqual(addressIn(`http://x/#${id}/at/7`), { session: id, at: 7 })
    assert.deepEqual(addressIn("http://x/shared/abc.def/events"), { share: "abc.def" })
    for (const text of ["", "  ", "not an id", "http://x/"]) assert.deepEqual(addressIn(text), {}, text)
})

test("a rate counts the last ten seconds", () => {
    const rate = new Rate()
    assert.equal(rate.perSecond(5000), 0)
    for (let now = 100_000; now < 110_000; now += 100) rate.add(now)
    assert.equal(rate.perSecond(109_999), 10)
    assert.equal(rate.perSecond(114_999), 5)
    assert.equal(rate.perSecond(1e9), 0)
    rate.add(1e9, 20)
    assert.equal(rate.perSecond(1e9), 2)
    assert.deepEqual([0, 0.05, 0.3, 2, 12.4].map(perSecond), ["0/s", "<0.1/s", "0.3/s", "2/s", "12/s"])
})

test("99 of 100 times are not longer than their p99", () => {
    const times = new Times()
    assert.equal(times.p99, undefined)
    times.add(7)
    assert.equal(times.p99, 7)
    for (let time = 100; time; time--) times.add(time)
    assert.equal(times.p99, 99)
    for (let i = 0; i < 200; i++) times.add(1)
    assert.equal(times.p99, 1)
})

test("sizes and times are short", () => {
    assert.deepEqual([0, 999, 1000, 1536, 400_384, 1 << 20, 1.5 * 2 ** 30].map(size), ["0 B", "999 B", "1 KiB", "1.5 KiB", "391 KiB", "1 MiB", "1.5 GiB"])
    const times = [0, 999.4, 1000, 1234, 9960, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000 * 3]
    assert.deepEqual(times.map(duration), ["0 ms", "999 ms", "1 s", "1.2 s", "10 s", "59 s", "1 min", "59 min", "1 h", "3 d"])
    assert.deepEqual([delta(1200), delta(-5)], ["+1.2 s", "+0 ms"])
    assert.equal(expiry("2026-01-02T00:00:00Z", Date.parse("2026-01-01T00:30:00Z")), "expires in 23 h")
    assert.deepEqual([expiry(undefined, 0), expiry(5, 9)], ["never expires", "expired"])
    assert.deepEqual([999, 10_000, 1_234_567].map(grouped), ["999", "10\u202f000", "1\u202f234\u202f567"])
})

test("a search finds what a naive one finds, in order, and no more than is wanted", () => {
    for (let seed = 1; seed <= 200; seed++) {
        const random = new Random(seed)
        const state = random.object(6, 4)
        const wanted = random.pick(["t", "TEXT", "proto", "~", "é", "null", "1", "\n"])
        const contains = text => text.toLowerCase().includes(wanted.toLowerCase())
        const expected = [...walk(state)].slice(1).filter(({ pointer, value }) => {
            const parent = [...walk(state)].find(other => other.pointer === pointer.slice(0, pointer.lastIndexOf("/"))).value
            const key = pointer.slice(pointer.lastIndexOf("/") + 1).replaceAll("~1", "/").replaceAll("~0", "~")
            const isLeaf = typeof value !== "object" || value === null
            return (!Array.isArray(parent) && contains(key)) || (isLeaf && contains(typeof value === "string" ? value : String(value)))
        }).map(({ pointer }) => pointer)
        assert.deepEqual([...search(state, wanted)].flat(), expected)
        assert.deepEqual([...search(state, wanted, 2)].flat(), expected.slice(0, 2))
    }
    assert.deepEqual([...search({ a: 1 }, "")].flat(), [])
    assert.deepEqual([...search("text", "EX")].flat(), [""])
    assert.deepEqual([...search(null, "x")].flat(), [])
})

test("a search in a large state rests between slices", () => {
    const entities = Object.fromEntries(Array.from({ length: 5000 }, (_, id) => [id, { id, title: `task ${id}`, isDone: false }]))
    const slices = [...search({ entities }, "task 4999")]
    assert.deepEqual(slices.flat(), ["/entities/4999/title"])
    assert.ok(slices.length > 3 && slices.length < 20, `${slices.length} slices`)
    assert.ok([...search({ texts: Array(20).fill("x".repeat(300_000)) }, "y")].length > 5)
})

class Storage {
    values = new Map()
    getItem = name => this.values.get(name) ?? null
    setItem = (name, value) => void this.values.set(name, value)
    removeItem = name => void this.values.delete(name)
}

test("the sessions of this browser are remembered, the last one first, and forgotten on demand", () => {
    const storage = new Storage()
    const recent = new RecentSessions(storage)
    for (let i = 0; i < 30; i++) recent.add({ id: `id${i}`, store: "app", at: i })
    recent.add({ id: "id20", store: "app", at: 99 })
    assert.deepEqual(recent.list().slice(0, 2).map(({ id }) => id), ["id20", "id29"])
    assert.equal(recent.list().length, 20)
    recent.remove("id20")
    assert.equal(recent.list()[0].id, "id29")
    recent.isOn = false
    recent.add({ id: "secret", store: "app", at: 1 })
    assert.deepEqual([recent.list(), new RecentSessions(storage).isOn], [[], false])
    assert.ok(![...storage.values.values()].join().includes("id"))
    recent.isOn = true
    recent.add({ id: "again", store: "app", at: 1 })
    assert.equal(recent.list().length, 1)
})

test("storage that is damaged, full or forbidden hurts nobody", () => {
    const storage = new Storage()
    const recent = new RecentSessions(storage)
    const odd = '[1,null,{"id":"<b>","store":"x","at":1},{"id":"a","at":1},{"id":"a","store":"x"},{"id":"ok","store":"x","at":1}]'
    for (const value of ["{", "7", odd]) {
        storage.setItem("storehouse.sessions", value)
        assert.ok(recent.list().every(({ id }) => id === "ok"))
    }
    assert.equal(recent.list().length, 1)
    const forbidden = new RecentSessions({ getItem: () => { throw new Error() }, setItem: () => { throw new Error() }, removeItem: () => { throw new Error() } })
    forbidden.add({ id: "a", store: "b", at: 1 })
    forbidden.isOn = false
    assert.deepEqual(forbidden.list(), [])
    assert.equal(new RecentSessions(undefined).isOn, false)
})

test("the operator's list is read in pages, one request at a time", async () => {
    const asked = []
    const list = new SessionList(async wanted => {
        asked.push(wanted)
        const from = Number(wanted.after ?? 0)
        return { sessions: [{ id: `s${from}` }, { id: `s${from + 1}` }], next: from < 4 ? String(from + 1) : null }
    }, { store: "app" })
    await Promise.all([list.more(), list.more()])
    assert.equal(asked.length, 1)
    while (await list.more());
    assert.deepEqual(list.sessions.map(({ id }) => id), ["s0", "s1", "s2", "s3", "s4", "s5"])
    assert.deepEqual(asked[1], { store: "app", after: "1", limit: 100 })
    list.remove("s3")
    assert.equal(list.sessions.length, 5)
    assert.equal(await list.more(), false)
})
