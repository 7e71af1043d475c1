import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after, before, test } from "node:test"
import { promisify } from "node:util"
import { Program } from "../../Clients/javascript/acceptance/support/program.js"
import {
    curl, Entries, fill, forkWith, formOf, outcomes, problemsOf, storehouseSend, Travel, valueOf,
} from "./support/model.js"

// The modules with a real server: STOREHOUSE names its program.

const path = process.env.STOREHOUSE
const options = { skip: path ? false : "STOREHOUSE names no program", timeout: 60_000 }
const folder = mkdtempSync(join(tmpdir(), "inspector-"))
let base, program, kinds

before(async () => {
    if (!path) return
    program = new Program(path, { storage: "memory" })
    base = `http://127.0.0.1:${await program.start()}`
    symlinkSync(resolve(path), join(folder, "storehouse"))
    kinds = (await ask("stores")).stores
})

after(async () => {
    await program?.remove()
    rmSync(folder, { recursive: true })
})

async function ask(resource, body) {
    const init = body && { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }
    return (await fetch(`${base}/${resource}`, init)).json()
}

/** Runs a line as somebody does who has copied it. */
async function run(line) {
    const env = { PATH: `${folder}:${process.env.PATH}`, NO_COLOR: "1" }
    return (await promisify(execFile)("sh", ["-c", line], { env })).stdout
}

const nasty = ["'", "it''s \"quoted\"", "$HOME `id` $(id)", "a\nb\r\tc", "\\ \\n \\\\", "é🦊👩‍👩‍👧", "-x --y", "#!*?[a]{b,c}~", "12", "true", "\u0301x", "\u202e\u2028"]

test("each action has a form that gives its example", options, () => {
    for (const { payload, example } of kinds.flatMap(({ actions }) => actions)) {
        const form = formOf(payload)
        const value = example.payload ?? {}
        assert.equal(fill(form, value), true, example.type)
        assert.deepEqual(valueOf(form), value)
        assert.deepEqual(problemsOf(form), [])
        assert.ok(!JSON.stringify(form).includes('"kind":"json"'), example.type)
    }
})

test("copied lines send the action again, whatever its texts contain", options, async () => {
    const { id } = await ask("sessions", { store: "planner" })
    const entries = new Entries(({ limit, before = "" }) => ask(`sessions/${id}/actions?changes=true&limit=${limit}&before=${before || 1e9}`))
    for (const title of nasty) await ask(`sessions/${id}/actions`, { type: "tasks/add", payload: { title } })
    await entries.older()
    const sent = [...entries.visible()].reverse()
    assert.deepEqual(sent.map(({ payload }) => payload.title), nasty)
    for (const copy of [curl, storehouseSend]) {
        for (const entry of sent) await run(copy(entry, { base, session: id }))
        await entries.catchUp(entries.newest + sent.length)
        const again = entries.visible().slice(0, sent.length).reverse()
        assert.deepEqual(again.map(({ type, payload }) => ({ type, payload })), sent.map(({ type, payload }) => ({ type, payload })))
    }
    const numbers = { revision: 1, type: "tasks/edit", payload: { id: 1, title: "12", due: null, isDone: true }, at: "" }
    for (const copy of [curl, storehouseSend]) await run(copy(numbers, { base, session: id }))
    const { state } = await ask(`sessions/${id}/state?select=/tasks/entities/1`)
    assert.deepEqual(state, { id: 1, title: "12", isDone: true })
})

test("the states between are those of the server, and forks leave out what they should", options, async () => {
    const { id } = await ask("sessions", { store: "planner" })
    for (const title of ["one", "two", "three"]) await ask(`sessions/${id}/actions`, { type: "tasks/add", payload: { title } })
    for (const [type, payload] of [["remove", { id: 2 }], ["favorite", { id: 3 }], ["edit", { id: 1, isDone: true }], ["move", { id: 3, index: 0 }]])
        await ask(`sessions/${id}/actions`, { type: `tasks/${type}`, payload })
    const read = ({ limit, before = 1e9 }) => ask(`sessions/${id}/actions?changes=true&limit=${limit}&before=${before}`)
    const entries = new Entries(read)
    let requests = 0
    const travel = new Travel(revision => (requests++, ask(`sessions/${id}/state?revision=${revision}`)), entries)
    await entries.older()
    await travel.at(entries.oldest)
    for (let revision = 7; revision >= 0; revision--) assert.deepEqual(travel.at(revision), (await ask(`sessions/${id}/state?revision=${revision}`)).state)
    assert.equal(requests, 1)
    const rows = outcomes(await ask(`sessions/${id}/forks?dryRun=true`, forkWith(3, null, entries.newest)))
    assert.deepEqual(rows.map(({ revision, isDone }) => [revision, isDone]), [[4, true], [5, false], [6, true], [7, false]])
})
