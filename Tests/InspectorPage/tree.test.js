import assert from "node:assert/strict"
import { test } from "node:test"
import { apply, below, between, changes, isTree, keysOf, Tree } from "./support/model.js"
import { Random, walk } from "./support/random.js"

/** The rows of all that is open, by a walk over the whole state. */
function naiveRows(state, choices, depth = 0, pointer = "") {
    if (!isTree(state)) return [{ pointer: "", depth: 0 }]
    return Object.keys(state).flatMap(key => {
        const [value, at] = [state[key], below(pointer, key)]
        const isOpenFirst = depth === 0 && !Array.isArray(state) && isTree(value) && Object.keys(value).length <= 50
        const isOpen = isTree(value) && (choices.get(at) ?? isOpenFirst)
        const row = { pointer: at, depth, key, value, isOpen }
        return [row, ...(isOpen ? naiveRows(value, choices, depth + 1, at) : [])]
    })
}

const known = ({ pointer, depth, key, value, isOpen }) => ({ pointer, depth, key, value, isOpen })

test("the rows are those of a naive walk, whatever is opened, closed and changed", () => {
    for (let seed = 1; seed <= 80; seed++) {
        const random = new Random(seed)
        const [tree, choices] = [new Tree(), new Map()]
        let state = random.object(6, 4)
        tree.set(state)
        for (let step = 0; step < 25; step++) {
            if (random.chance(0.5)) {
                const { patch } = random.patch(state)
                state = apply(state, patch)
                tree.set(state, random.chance(0.7) ? changes.pointersOf(patch) : undefined)
            } else if (tree.length) {
                const [{ pointer, value, isOpen }] = tree.rows(random.below(tree.length), 1)
                if (isTree(value)) choices.set(pointer, !isOpen)
                tree.toggle(pointer)
            }
            const expected = naiveRows(state, choices)
            assert.deepEqual(tree.rows(0, Infinity).map(known), expected, `seed ${seed}, step ${step}`)
            assert.equal(tree.length, expected.length)
            const from = random.below(expected.length + 1)
            assert.deepEqual(tree.rows(from, 5).map(known), expected.slice(from, from + 5))
            expected.forEach(({ pointer }, index) => assert.equal(tree.indexOf(pointer), index))
        }
    }
})

test("what is revealed has a row", () => {
    for (let seed = 1; seed <= 50; seed++) {
        const random = new Random(seed)
        const state = random.object(5, 4)
        const tree = new Tree()
        tree.set(state)
        for (const { pointer, value } of [...walk(state)].slice(1)) {
            const index = tree.reveal(pointer)
            assert.deepEqual([tree.rows(index, 1)[0].pointer, tree.rows(index, 1)[0].value], [pointer, value])
        }
        assert.equal(tree.reveal("/not/here"), -1)
        assert.equal(tree.indexOf("/not/here"), -1)
    }
})

/** A state with 5000 entities that counts how often they are listed and read. */
function large() {
    const count = { lists: 0, reads: 0 }
    const counted = target => new Proxy(target, {
        get: (target, key) => (count.reads++, target[key]),
        ownKeys: target => (count.lists++, Reflect.ownKeys(target)),
    })
    const entities = Object.fromEntries(Array.from({ length: 5000 }, (_, id) => [`id${id}`, { id, title: "task" }]))
    const state = change => ({ tasks: { entities: counted(change(entities)), ids: [] } })
    return { count, state, entities }
}

test("a patch in 5000 entities costs what it touches, and no list of them", () => {
    const { count, state } = large()
    const tree = new Tree()
    tree.set(state(all => all))
    tree.toggle("/tasks/entities")
    tree.toggle("/tasks/entities/id4000")
    assert.equal(tree.length, 1 + 2 + 5000 + 2)
    const next = state(all => ({ ...all, id4000: { ...all.id4000, title: "changed" } }))
    count.lists = count.reads = 0
    tree.set(next, ["/tasks/entities/id4000/title"])
    const [row] = tree.rows(tree.indexOf("/tasks/entities/id4000/title"), 1)
    assert.equal(row.value, "changed")
    assert.equal(tree.rows(0, 30).length, 30)
    assert.ok(count.reads < 100, `${count.reads} reads`)
    assert.equal(count.lists, 0)
})

test("an entity that comes or goes costs one list, and rows appear at once", () => {
    const { count, state } = large()
    const tree = new Tree()
    tree.set(state(all => all))
    tree.toggle("/tasks/entities")
    const next = state(({ id0, ...others }) => ({ ...others, "a/~b": { id: -1 } }))
    count.lists = count.reads = 0
    tree.set(next, ["/tasks/entities/id0", "/tasks/entities/a~1~0b"])
    assert.equal(tree.indexOf("/tasks/entities/id0"), -1)
    assert.equal(tree.indexOf("/tasks/entities/a~1~0b"), 1 + 1 + 4999)
    assert.equal(tree.length, 1 + 2 + 5000)
    assert.ok(count.lists <= 2, `${count.lists} lists`)
    assert.ok(count.reads < 100, `${count.reads} reads`)
})

test("small parts of the state are open from the start, and what was closed stays closed", () => {
    const tree = new Tree()
    const state = { few: Array(50).fill(0), many: Array(51).fill(0), deep: { inner: {} } }
    tree.set(state)
    const open = () => tree.rows(0, Infinity).filter(({ isOpen }) => isOpen).map(({ pointer }) => pointer)
    assert.deepEqual(open(), ["/few", "/deep"])
    tree.toggle("/deep", false)
    tree.toggle("/deep/inner", true)
    tree.toggle("/not/here")
    tree.set({ ...state, deep: 7 }, ["/deep"])
    tree.set({ ...state }, ["/deep"])
    assert.deepEqual(open(), ["/few"])
    tree.toggle("/deep", true)
    assert.deepEqual(open(), ["/few", "/deep"])
})

test("a single value is one row, and no state is none", () => {
    const tree = new Tree()
    assert.equal(tree.length, 0)
    assert.deepEqual(tree.rows(0, 10), [])
    tree.set(7)
    assert.deepEqual(tree.rows(0, 10).map(({ pointer, value }) => [pointer, value]), [["", 7]])
    tree.set([1, [2]])
    assert.deepEqual(tree.rows(0, 10).map(({ pointer }) => pointer), ["/0", "/1"])
    tree.set(null)
    assert.equal(tree.length, 1)
    tree.set({})
    assert.equal(tree.length, 0)
})

test("rows tell their place, and show their content in short", () => {
    const tree = new Tree()
    tree.set({ list: [1, "two", { three: 3 }, []], text: "x".repeat(1e6), "": { a: {}, b: null } })
    const row = pointer => tree.rows(tree.indexOf(pointer), 1)[0]
    assert.deepEqual([row("/list").summary, row("/list").count], ['[1, "two", {…}, []]', 4])
    assert.equal(row("/").summary, "{a: {…}, b: null}")
    assert.deepEqual([row("/list/1").position, row("/list/1").siblings], [2, 4])
    assert.equal(row("/text").summary, undefined)
    const long = new Tree()
    long.set({ one: ["x".repeat(1e6)], many: Array(51).fill(0), nine: Array(50).fill("abcdefghi") })
    const summaries = long.rows(0, 3).concat(long.rows(long.indexOf("/many"), 1), long.rows(long.indexOf("/nine"), 1))
    for (const { summary = "" } of summaries) assert.ok(summary.length < 80, summary)
    assert.deepEqual(keysOf("/a~1b/~01/"), ["a/b", "~1", ""])
})
