import assert from "node:assert/strict"
import { test } from "node:test"
import { apply, between, changes, find, inverse, steps } from "./support/model.js"
import { applyNaively, Random, walk } from "./support/random.js"

const runs = 500

function each(check) {
    for (let seed = 1; seed <= runs; seed++) {
        const random = new Random(seed)
        const before = random.object(6, 3)
        const { patch, after } = random.patch(before)
        try {
            check(before, patch, after, random)
        } catch (error) {
            error.message = `seed ${seed}, ${JSON.stringify(patch)} on ${JSON.stringify(before)}: ${error.message}`
            throw error
        }
    }
}

test("a patch makes what a naive application makes", () => {
    each((before, patch, after) => assert.deepEqual(apply(before, patch), after))
})

test("an inverse patch leads back", () => {
    each((before, patch, after) => assert.deepEqual(applyNaively(after, inverse(before, patch)), before))
})

test("the steps of a patch lead to what the patch leads to, and tell what they find", () => {
    each((before, patch, after) => {
        let state = before
        for (const step of steps(before, patch)) {
            assert.deepEqual(step.op === "add" ? undefined : find(state, step.path), step.before)
            state = applyNaively(state, [step])
        }
        assert.deepEqual(state, after)
    })
})

test("the patch between any two values leads from one to the other", () => {
    each((before, _, after, random) => {
        assert.deepEqual(applyNaively(before, between(before, after)), after)
        const other = random.object(5, 3)
        assert.deepEqual(applyNaively(before, between(before, other)), other)
    })
})

test("parts that a patch does not touch keep their identity", () => {
    each((before, patch, after) => {
        const touched = changes.pointersOf(patch)
        if (patch.some(({ op }) => op === "copy" || op === "move")) return
        const made = apply(before, patch)
        for (const { pointer, value } of walk(before)) {
            const isNear = touched.some(other => other === pointer || other.startsWith(pointer + "/") || pointer.startsWith(other + "/"))
            const isShifted = touched.some(other => Array.isArray(find(before, changes.parentOf(other))) && pointer.startsWith(changes.parentOf(other)))
            if (!isNear && !isShifted && pointer) assert.equal(find(made, pointer), value, pointer)
        }
        assert.deepEqual(made, after)
    })
})

test("one patch is cheap: it reads only its own path", () => {
    const entities = Object.fromEntries(Array.from({ length: 5000 }, (_, id) => [`id${id}`, { id, title: "task" }]))
    let reads = 0
    const counted = new Proxy(entities, {
        get: (target, key) => (reads++, target[key]),
        ownKeys: () => assert.fail("all entities were listed"),
    })
    const patch = [{ op: "replace", path: "/entities/id7/title", value: "x" }, { op: "remove", path: "/entities/id8" }]
    assert.equal(inverse({ entities: counted }, patch).length, 2)
    assert.ok(reads < 10, `${reads} reads`)
})

test("one element that comes or goes is one change, wherever it stands", () => {
    const ids = Array.from({ length: 5000 }, (_, id) => id)
    for (const place of [0, 2500, 5000]) {
        const more = [...ids.slice(0, place), -1, ...ids.slice(place)]
        assert.deepEqual(changes.between({ ids }, { ids: more }).changes, [{ sign: "+", pointer: `/ids/${place}`, before: undefined, after: -1 }])
        assert.deepEqual(changes.between({ ids: more }, { ids }).changes, [{ sign: "-", pointer: `/ids/${place}`, before: -1, after: undefined }])
    }
})

test("changes have signs, and the list of them ends where it is cut", () => {
    const before = { a: 1, b: [1, 2], "": { "~/": 1 } }
    const patch = [{ op: "replace", path: "/a", value: 2 }, { op: "remove", path: "/b/0" }, { op: "add", path: "//~0~1x", value: {} }]
    assert.deepEqual(changes.ofPatch(before, patch), [
        { sign: "~", pointer: "/a", before: 1, after: 2 },
        { sign: "-", pointer: "/b/0", before: 1, after: undefined },
        { sign: "+", pointer: "//~0~1x", before: undefined, after: {} },
    ])
    assert.deepEqual(changes.pointersOf(patch), ["/a", "/b/0", "//~0~1x"])
    const all = changes.between(before, apply(before, patch))
    assert.equal(all.changes.length, 3)
    assert.equal(all.isCut, false)
    const cut = changes.between(before, apply(before, patch), 2)
    assert.deepEqual([cut.changes.length, cut.isCut], [2, true])
})
