import assert from "node:assert/strict"
import { test } from "node:test"
import { Entries, parseFilter } from "./support/model.js"
import { Random } from "./support/random.js"
import { Session } from "./support/session.js"

const revisions = entries => entries.map(({ revision }) => revision)

/** What a filter should show, found without any care for speed. */
const naively = (log, filter) => log.filter(entry => filter.matches(entry)).sort((a, b) => b.revision - a.revision)

test("pages and the stream, in any order, show what a naive filter shows", async () => {
    for (let seed = 1; seed <= 40; seed++) {
        const random = new Random(seed)
        const session = new Session(seed, 50)
        const read = async ({ before, limit }) => session.readPage({ before, limit: Math.min(limit, 1 + random.below(9)) })
        const entries = new Entries(read)
        const filters = ["origin:effect", "-type:tasks/*", "path:/tasks rev:5..40", "é"].map(parseFilter)
        while (!entries.isWhole || session.revision < 80) {
            if (random.chance(0.3)) await entries.older()
            if (random.chance(0.2)) await entries.catchUp(session.revision)
            if (session.revision < 80) {
                const { patch, after } = random.patch(session.states.at(-1))
                const entry = session.commit(after, patch, random)
                const { patch: _, ...bare } = entry
                if (random.chance(0.8)) entries.add(random.chance(0.5) ? bare : { ...entry })
                if (random.chance(0.8)) entries.complete(entry.revision, patch)
            }
            const filter = random.pick(filters)
            const known = session.log.map(({ revision }) => entries.get(revision)).filter(Boolean)
            assert.deepEqual(entries.visible(filter), naively(known, filter), `seed ${seed}`)
            assert.equal(entries.size, known.length)
        }
        assert.equal(entries.newest, Math.max(...revisions(entries.visible())))
    }
})

test("a new entry asks each filter once, and a new filter asks each entry once", async () => {
    const session = new Session(1, 10)
    const entries = new Entries(session.readPage)
    for (let revision = 1; revision <= 10_000; revision++) entries.add({ revision, type: "tasks/add", at: "" })
    let asked = 0
    const filter = { matches: ({ revision }) => (asked++, revision % 2 === 0) }
    assert.equal(entries.visible(filter).length, 5000)
    assert.equal(asked, 10_000)
    const list = entries.visible(filter)
    entries.add({ revision: 10_002, type: "tasks/add", at: "" })
    assert.equal(asked, 10_001)
    assert.equal(entries.visible(filter), list)
    assert.deepEqual(revisions(list).slice(0, 2), [10_002, 10_000])
    assert.equal(asked, 10_001)
})

test("one page is asked for at a time, and nothing when all is here", async () => {
    const session = new Session(1, 450)
    const entries = new Entries(session.readPage)
    assert.deepEqual(await Promise.all([entries.older(), entries.older()]), [true, true])
    assert.deepEqual([entries.newest, entries.oldest, entries.size], [450, 251, 200])
    while (await entries.older());
    assert.equal(entries.get(30).revision, 30)
    assert.equal(entries.isWhole, true)
    assert.equal(await entries.older(), false)
    assert.deepEqual(session.requests, ["log before Infinity", "log before 251", "log before 51"])
})

test("a commit that was trimmed is a gap, and is not asked for for ever", async () => {
    const session = new Session(1, 300)
    session.oldest = 250
    const entries = new Entries(session.readPage)
    while (await entries.older());
    assert.equal(entries.get(100), undefined)
    assert.deepEqual([entries.oldest, entries.size], [251, 50])
    const gone = new Entries(async () => Promise.reject({ code: "revision-gone" }))
    assert.equal(await gone.older(), false)
    assert.equal(gone.isWhole, true)
    const away = new Entries(async () => Promise.reject({ code: "overloaded" }))
    await assert.rejects(away.older(), { code: "overloaded" })
    assert.equal(away.isWhole, false)
})

test("commits that the stream has not told are read", async () => {
    const session = new Session(1, 900)
    const entries = new Entries(session.readPage)
    for (const entry of session.log.slice(99, 101)) entries.add(entry)
    await entries.catchUp(900)
    assert.deepEqual(revisions(entries.visible()), Array.from({ length: 801 }, (_, i) => 900 - i))
    assert.equal(session.requests.length, 4)
})

test("refused actions stand above the commit that they found", () => {
    const entries = new Entries(async () => ({ actions: [], next: null }))
    for (const revision of [1, 2, 3]) entries.add({ revision, type: "a/b", at: `2026-01-01T00:00:0${revision}Z` })
    const refusal = (revision, at) => ({ revision, type: "a/c", at: `2026-01-01T00:00:0${at}Z`, status: 409, code: "action-rejected" })
    const refused = parseFilter("is:refused")
    assert.deepEqual(entries.visible(refused), [])
    entries.setRefused([refusal(2, 6), refusal(2, 5)])
    assert.deepEqual(entries.visible().map(({ revision, status }) => [revision, status]), [
        [3, undefined], [2, 409], [2, 409], [2, undefined], [1, undefined],
    ])
    assert.deepEqual(entries.visible(refused).map(({ at }) => at.slice(-2)), ["6Z", "5Z"])
    entries.add({ revision: 4, type: "a/b", at: "2026-01-01T00:00:07Z" })
    assert.deepEqual(revisions(entries.visible()), [4, 3, 2, 2, 2, 1])
    assert.equal(entries.size, 4)
    entries.setRefused([refusal(6, 8), refusal(2, 5)])
    for (const revision of [6, 5]) entries.add({ revision, type: "a/b", at: "2026-01-01T00:00:09Z" })
    assert.deepEqual(revisions(entries.visible()), [6, 6, 5, 4, 3, 2, 2, 1])
    assert.equal(entries.visible()[0].status, 409)
})
