import assert from "node:assert/strict"
import { test } from "node:test"
import {
    buckets, causeTree, forkWith, isReplayed, outcomes, parseFilter, placeOf, playback, revisionAt,
} from "./support/model.js"
import { Random } from "./support/random.js"

const entry = (revision, more = {}) => ({ revision, type: "tasks/add", origin: "client", cause: null, at: new Date(revision * 100).toISOString(), ...more })
const matches = (filter, more) => parseFilter(filter).matches(entry(12, more))

test("texts match types, payloads and reasons, whatever their case", () => {
    assert.ok(matches("tasks ADD"))
    assert.ok(matches("water", { payload: { title: "Water the plants" } }))
    assert.ok(matches('"the plants"', { payload: { title: "Water the plants" } }))
    assert.ok(!matches('"plants the"', { payload: { title: "Water the plants" } }))
    assert.ok(matches("sold-out", { status: 409, reason: "sold-out" }))
    assert.ok(matches("http://x", { payload: { url: "http://x" } }))
    assert.ok(matches("-remove"))
    assert.ok(!matches("-add"))
    assert.ok(matches("  "))
    assert.deepEqual(parseFilter('a -b origin:effect "c d" x:y').words, ["a", "c d", "x:y"])
})

test("tokens match what they name", () => {
    assert.ok(matches("origin:client -origin:effect") && !matches("origin:effect"))
    for (const type of ["type:tasks/*", "type:*/add", "type:tasks/add", "type:*"]) assert.ok(matches(type), type)
    for (const type of ["type:tasks", "type:tasks/a", "type:t.sks/add", "type:tasks/*x"]) assert.ok(!matches(type), type)
    for (const range of ["rev:12", "rev:10..12", "rev:12..", "rev:..12"]) assert.ok(matches(range), range)
    for (const range of ["rev:1", "rev:13..", "rev:..11", "-rev:12"]) assert.ok(!matches(range), range)
    assert.ok(matches("is:refused", { status: 409 }) && !matches("is:refused") && matches("is:committed"))
    assert.ok(matches("is:caused", { cause: 3 }) && !matches("is:caused"))
    assert.ok(matches("is:unchanged", { patch: [] }) && !matches("is:unchanged"))
    const actor = { kind: "user", id: "17", name: "Ada" }
    for (const name of ["17", "ada", "user"]) assert.ok(matches(`actor:${name}`, { actor }), name)
    assert.ok(!matches("actor:17") && !matches("actor:a", { actor }))
})

test("a path matches what is below it and what it is in", () => {
    const patch = [{ op: "replace", path: "/tasks/37/a~1b", value: 1 }, { op: "move", from: "/x", path: "/y" }]
    const yes = ["/tasks", "/tasks/37", "/tasks/*/a~1b", "/*", "/", "/tasks/37/a~1b/c", "/x", "/y"].filter(path => path !== "/")
    for (const path of yes) assert.ok(matches(`path:${path}`, { patch }), path)
    for (const path of ["/task", "/tasks/3", "/tasks/*/b", "/z"]) assert.ok(!matches(`path:${path}`, { patch }), path)
    assert.ok(!matches("path:/tasks"))
})

test("a token that says nothing is a problem, and is left out", () => {
    for (const filter of ["rev:x", "rev:..", "path:tasks", "is:good", "origin:", "type: -type:"]) {
        assert.match(parseFilter(filter).problem, /^\w+: /, filter)
        assert.ok(matches(filter), filter)
    }
    for (const filter of ["", "a", "constructor:x", "is", '"', "-", "-\"\"", "__proto__:x"]) assert.equal(parseFilter(filter).problem, undefined, filter)
})

test("every commit is in one bar of the timeline, and every place is a revision of its bar", () => {
    for (let seed = 1; seed <= 100; seed++) {
        const random = new Random(seed)
        const first = 1 + random.below(1000)
        const all = Array.from({ length: 1 + random.below(500) }, (_, i) => first + i).filter((_, i) => !i || random.chance(0.9))
        const list = all.reverse().flatMap(revision => [
            ...(random.chance(0.1) ? [entry(revision, { status: 409 })] : []),
            entry(revision, { origin: random.pick(["client", "effect"]) }),
        ])
        const width = 1 + random.below(200)
        const bars = buckets(list, width, [{ cause: all[0] }, { cause: 0 }])
        assert.ok(bars.length <= width)
        const committed = list.filter(({ status }) => !status)
        assert.deepEqual(bars.map(({ from, to }) => committed.filter(({ revision }) => revision >= from && revision <= to).length), bars.map(({ count }) => count))
        assert.equal(sum(bars.map(({ count }) => count)), committed.length)
        assert.equal(sum(bars.flatMap(({ origins }) => Object.values(origins))), committed.length)
        assert.equal(sum(bars.map(({ refusals }) => refusals)), list.length - committed.length)
        assert.equal(sum(bars.map(({ failures }) => failures)), 1)
        for (const { from, to } of bars) {
            for (const revision of [from, to]) assert.equal(revisionAt(bars, width, placeOf(bars, width, revision)), revision)
        }
        assert.equal(revisionAt(bars, width, -5), all.at(-1))
        assert.equal(revisionAt(bars, width, width * 2), all[0])
    }
    assert.deepEqual(buckets([], 100), [])
    assert.deepEqual([revisionAt([], 100, 5), placeOf([], 100, 5)], [0, 0])
})

const sum = numbers => numbers.reduce((sum, number) => sum + number, 0)

test("playing takes the time that passed, but long gaps are short", () => {
    const times = [[1, 0], [2, 100], [3, 1100], [4, 5000], [5, 5000], [6, 4000], [7, 4200]]
    const list = times.map(([revision, at]) => entry(revision, { at: new Date(at).toISOString() })).reverse()
    list.splice(2, 0, entry(5, { status: 409 }))
    assert.deepEqual(playback(list).map(({ revision, delay }) => [revision, delay]), [[1, 0], [2, 100], [3, 1000], [4, 300], [5, 0], [6, 0], [7, 200]])
    assert.deepEqual(playback(list, { speed: 4, from: 2 }).map(({ delay }) => delay), [250, 75, 0, 0, 50])
    assert.deepEqual(playback(list, { speed: Infinity }).map(({ delay }) => delay), Array(7).fill(0))
})

test("effects stand below their cause, with their duration", () => {
    const list = [entry(6, { cause: 3 }), entry(5, { status: 409, cause: 3 }), entry(5), entry(4, { cause: 2 }), entry(3, { cause: 1 }), entry(2, { cause: 1 }), entry(1, { cause: 0 })]
    const rows = causeTree(list).map(({ entry, depth, children, duration }) => [entry.revision, depth, children, duration])
    assert.deepEqual(rows, [[5, 0, 0, 0], [1, 0, 2, 500], [2, 1, 1, 100], [4, 2, 0, 200], [3, 1, 2, 200], [5, 2, 0, 200], [6, 2, 0, 300]])
    const bars = causeTree(list).slice(1).map(({ start, part }) => [start, part])
    assert.deepEqual(bars, [[0, 1], [0, 0.2], [0.2, 0.4], [0, 0.4], [0.4, 0.4], [0.4, 0.6]])
    assert.equal(causeTree(list)[0].part, 0)
})

test("a tree of causes has each entry once, also if causes are missing or many", () => {
    for (let seed = 1; seed <= 50; seed++) {
        const random = new Random(seed)
        const list = Array.from({ length: 200 }, (_, i) => entry(200 - i, { cause: random.chance(0.6) ? random.below(220) : null }))
            .filter(() => random.chance(0.9))
        const rows = causeTree(list)
        assert.deepEqual(rows.map(({ entry }) => entry.revision).sort((a, b) => b - a), list.map(({ revision }) => revision))
        rows.forEach(({ entry, depth }, i) => {
            if (!depth) return
            const cause = rows.slice(0, i).findLast(other => other.depth === depth - 1)
            assert.equal(entry.cause, cause.entry.revision)
        })
    }
    const many = Array.from({ length: 10_000 }, (_, i) => entry(10_000 - i, { cause: 9999 - i }))
    assert.equal(causeTree(many).at(-1).depth, 9999)
    const wide = Array.from({ length: 10_000 }, (_, i) => entry(10_000 - i, { cause: 1 }))
    assert.equal(causeTree(wide)[0].children, 9999)
})

test("a fork goes on without an action of a client, or with another one in its place", () => {
    assert.deepEqual(forkWith(4, null, 9), { revision: 3, replay: { skip: [4], through: 9 } })
    assert.deepEqual(forkWith(4, { type: "a/b" }, 9), { revision: 3, replay: { replace: { 4: { type: "a/b" } }, through: 9 } })
    const entries = [entry(3, { origin: "effect" }), entry(4, { origin: "client" }), undefined, entry(1, { status: 409 })]
    assert.deepEqual(entries.map(isReplayed), [false, true, false, false])
    const replay = [{ revision: 2, type: "a/b", outcome: "committed" }, { revision: 3, type: "a/c", outcome: "rejected", reason: "sold-out" }]
    assert.deepEqual(outcomes({ replay }).map(({ revision, isDone, text }) => [revision, isDone, text]), [[2, true, "committed"], [3, false, "rejected: sold-out"]])
    assert.deepEqual(outcomes({}), [])
})
