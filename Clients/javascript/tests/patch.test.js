import assert from "node:assert/strict"
import { test } from "node:test"
import { createPatcher, equal } from "../src/patch.js"

const deepFreeze = value => {
    if (typeof value === "object" && value) Object.values(Object.freeze(value)).forEach(deepFreeze)
    return value
}
const apply = (value, ...patches) => {
    const patcher = createPatcher(deepFreeze(value))
    return patches.map(patch => patcher(patch)).at(-1)
}

test("all operations of RFC 6902 apply", () => {
    assert.deepEqual(apply({ a: 1 }, [{ op: "add", path: "/b", value: 2 }]), { a: 1, b: 2 })
    assert.deepEqual(apply([1, 3], [{ op: "add", path: "/1", value: 2 }, { op: "add", path: "/-", value: 4 }]), [1, 2, 3, 4])
    assert.deepEqual(apply({ a: 1, b: 2 }, [{ op: "remove", path: "/a" }]), { b: 2 })
    assert.deepEqual(apply([1, 2, 3], [{ op: "remove", path: "/0" }]), [2, 3])
    assert.deepEqual(apply({ a: [1, { b: 2 }] }, [{ op: "replace", path: "/a/1/b", value: null }]), { a: [1, { b: null }] })
    assert.deepEqual(apply({ a: { x: 1 } }, [{ op: "move", from: "/a/x", path: "/y" }]), { a: {}, y: 1 })
    assert.deepEqual(apply({ a: [1, 2] }, [{ op: "move", from: "/a/1", path: "/a/0" }]), { a: [2, 1] })
    assert.deepEqual(apply({ a: { x: 1 } }, [{ op: "copy", from: "/a", path: "/b" }]), { a: { x: 1 }, b: { x: 1 } })
    assert.deepEqual(apply({ a: [1] }, [{ op: "test", path: "/a", value: [1] }]), { a: [1] })
    assert.deepEqual(apply(1, [{ op: "replace", path: "", value: { a: 1 } }]), { a: 1 })
})

test("escaped pointers name members with slashes, tildes and no name", () => {
    const value = { "a/b": 1, "m~n": 2, "": 3, "~1": 4 }
    const patch = ["/a~1b", "/m~0n", "/", "/~01"].map(path => ({ op: "replace", path, value: 0 }))
    assert.deepEqual(apply(value, patch), { "a/b": 0, "m~n": 0, "": 0, "~1": 0 })
})

test("parts that a patch does not touch keep their identity", () => {
    const value = { left: { a: 1 }, right: { b: [1, 2] } }
    const next = apply(value, [{ op: "replace", path: "/left/a", value: 2 }])
    assert.notEqual(next, value)
    assert.equal(next.right, value.right)
    assert.equal(value.left.a, 1)
})

test("all patches of a patcher share one copy", () => {
    const patcher = createPatcher(deepFreeze({ a: { b: 1 } }))
    const { a } = patcher([{ op: "replace", path: "/a/b", value: 2 }])
    assert.equal(patcher([{ op: "replace", path: "/a/b", value: 3 }]).a, a)
})

test("a copied value does not change with its original", () => {
    const value = { a: { n: { x: 1 } } }
    const touch = { op: "replace", path: "/a/n/x", value: 2 }
    const next = apply(value, [touch, { op: "copy", from: "/a", path: "/b" }, { op: "replace", path: "/b/n/x", value: 3 }])
    assert.deepEqual(next, { a: { n: { x: 2 } }, b: { n: { x: 3 } } })
})

test("a patch that does not apply is an error", () => {
    const bad = [
        [{}, { op: "remove", path: "/a" }],
        [{}, { op: "replace", path: "/a", value: 1 }],
        [{}, { op: "add", path: "/a/b", value: 1 }],
        [[1], { op: "add", path: "/2", value: 1 }],
        [[1], { op: "replace", path: "/-", value: 1 }],
        [[1], { op: "replace", path: "/00", value: 1 }],
        [[1], { op: "remove", path: "/1" }],
        [{ a: 1 }, { op: "test", path: "/a", value: 2 }],
        [{ a: {} }, { op: "move", from: "/a", path: "/a/b" }],
        [{ a: 1 }, { op: "merge", path: "/a", value: 2 }],
        [{ a: 1 }, { op: "replace", path: "a", value: 2 }],
        [{ a: 1 }, { op: "replace", path: "/~2", value: 2 }],
        [{ a: "text" }, { op: "add", path: "/a/0", value: 2 }],
        [{}, { op: "remove", path: "/toString" }],
        [[1], { op: "replace", path: "/length", value: 0 }],
        [[1], { op: "add", path: "/length", value: 0 }],
    ]
    for (const [value, operation] of bad) assert.throws(() => apply(value, [operation]), /patch/, JSON.stringify(operation))
})

test("a patch cannot reach a prototype", () => {
    const value = JSON.parse('{"a":{}}')
    const next = apply(value, [{ op: "add", path: "/__proto__", value: { polluted: true } }])
    assert.equal(next.polluted, undefined)
    assert.deepEqual(Object.keys(next), ["a", "__proto__"])
    assert.throws(() => apply({}, [{ op: "add", path: "/constructor/prototype/x", value: 1 }]))
    assert.equal({}.x, undefined)
})

test("values are compared as JSON", () => {
    assert.ok(equal({ a: [1, null], b: {} }, { b: {}, a: [1, null] }))
    for (const [a, b] of [[{}, []], [[1], [1, 2]], [{ a: 1 }, { b: 1 }], [null, {}], [1, "1"], [{ a: undefined }, { b: 1 }]]) {
        assert.ok(!equal(a, b))
    }
})

test("1000 patches on 1000 entities, 50 a turn, need less than a second", () => {
    let value = { entities: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => ["id" + i, { n: 0 }])) }
    const began = process.cpuUsage()
    for (let turn = 0; turn < 20; turn++) {
        const patcher = createPatcher(value)
        for (let i = 0; i < 50; i++) value = patcher([{ op: "replace", path: `/entities/id${turn * 50 + i}/n`, value: turn }])
    }
    assert.equal(value.entities.id999.n, 19)
    assert.ok(process.cpuUsage(began).user < 1e6)
})
