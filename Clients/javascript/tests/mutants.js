// Breaks the client in one place at a time, and expects the tests to notice: node tests/mutants.js [NAME…]
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** @type {[string, string, string, string][]} name, file, text, replacement */
const mutants = [
    ["an answer ends the prediction", "ledger.js", "result.history === history && result.revision <= revision", "true"],
    ["through is not read", "ledger.js", "if (number <= through) return true", ""],
    ["through of another client counts", "replay.js", 'data.through?.[next.mark ?? ""] ?? 0', "Math.max(0, ...Object.values(data.through ?? {}))"],
    ["through of an old history stays", "replay.js", "if (next.history !== data.history) next.through = 0", ""],
    ["secret actions are predicted", "replay.js", "entry.isSecret || ", ""],
    ["a refused entry stays in the replay", "ledger.js", 'result.outcome !== "committed" || ', ""],
    ["an entry is predicted in part", "replay.js", "if (next === undefined || entry.reason !== undefined) return state", "if (next === undefined || entry.reason !== undefined) return state\n            state = next"],
    ["a patch changes the state in place", "patch.js", "Array.isArray(container) ? [...container] : { ...container }", "container"],
    ["a copied value is shared", "patch.js", "own.clear()", "undefined"],
    ["a failed patch is half applied", "ledger.js", "this.confirm(confirm(before, events))", "this.confirm(before.value === undefined ? confirm(before, events) : events.reduce((state, event) => { try { return confirm(state, [event]) } catch { return state } }, before))"],
    ["entries are sent before the record", "outbox.js", "if (!isTold) return { from: 1, isNew: true, entries: [], prior }", "if (!isTold && !prior) ledger.sent = 1\n        if (!isTold && prior < 1) return { from: 1, isNew: true, entries: [], prior }"],
    ["a lost answer gives new numbers", "outbox.js", "const from = queue[0]?.number ?? last + 1", "const from = (queue[0]?.number ?? last + 1) + (failures ? 1 : 0)"],
    ["two requests are in flight", "outbox.js", "if (!isActive || current) return", "if (!isActive) return"],
    ["forgotten entries are sent again", "core.js", "entry.number > unknown", "entry.number > -1"],
    ["entries that were never sent are dropped", "outbox.js", "Math.max(prior, from + entries.length - 1) : prior)", "Math.max(prior, from + entries.length - 1) : Infinity)"],
    ["a conflict is sent again", "outbox.js", "isConflict ? Math.max(prior, from + entries.length - 1) : prior", "prior"],
    ["Retry-After is not read", "outbox.js", "Math.max(atLeast, backoff", "Math.max(0, backoff"],
    ["413 does not split", "outbox.js", "void (limit = Math.ceil(entries.length / 2))", "wait()"],
    ["an append is not awaited", "disk.js", "running.set(transaction, again)", "running.set(transaction, again)\n            queueMicrotask(() => resolve(result ?? 1))"],
    ["a frozen page holds up the disk", "disk.js", "transaction.abort()", ""],
    ["a frozen page begins a transaction", "disk.js", "if (waiting) return waiting.push(again)", ""],
    ["a frozen page leads on", "core.js", "            tabs?.stop()\n            return", "            return"],
    ["a page that was frozen takes no part", "core.js", '(event === "visible" || event === "resume")', 'event === "visible"'],
    ["rows of done entries stay", "disk.js", "remove(done)", ""],
    ["secrets are written to disk", "disk.js", "rows.add(isSecret ? { key, number, isSecret } : ", "rows.add("],
    ["what may have been sent is not on disk", "disk.js", "{ client, sent })", "{ client })"],
    ["the outbox is shared by users", "core.js", 'options.select ?? "", user]', 'options.select ?? ""]'],
    ["an open socket is live", "connection.js", "            byteAt = now\n", '            byteAt = now\n            show("live")\n'],
    ["silence is not noticed", "connection.js", "2.5 * heartbeat", "1e9"],
    ["the backoff does not grow", "backoff.js", "2 ** failures", "1"],
    ["live resets the backoff at once", "connection.js", "now - liveAt >= settled", "true"],
    ["a frozen stream is kept", "connection.js", "now - turnAt > 2 * heartbeat", "false"],
    ["a hidden page keeps its stream", "connection.js", "const hiddenFor = 60000", "const hiddenFor = 1e12"],
    ["a bad patch resumes by id", "stream.js", "ledger.confirmed = { ...ledger.confirmed, id: undefined }", ""],
    ["a proxy ends the connection", "stream.js", 'isOfType(response, "problem+json") ? await response.json() : undefined', "{}"],
    ["values are shown before ready", "stream.js", "held.length && isReady && !isVague", "held.length"],
    ["an event that names nobody is shown at once", "stream.js", "&& isReady && !isVague", "&& isReady"],
    ["401 asks again and again", "access.js", "if (!ask || isUnproven) return false", "if (!ask) return false"],
    ["a token of another user is taken", "access.js", "if (user && sub && sub !== user) return false", ""],
    ["a frozen leader is not replaced", "tabs.js", "now() - heardAt > patience", "false"],
    ["a follower does not pass on its entries", "core.js", 'post({ type: "entry", entry: stored })', ""],
    ["a stale leader takes a new client", "disk.js", "if (head.leader !== tab) return\n", "\n"],
    ["the event of another base is applied", "core.js", "!isWhole && base !== ledger.confirmed.id", "false"],
    ["a stale entry of a tab that was frozen is sent", "core.js", "if (isLeader && number !== ledger.last + 1) return void recall(entry ?? stored)", ""],
    ["a frozen leader goes on", "tabs.js", "if (isLate) queue()", ""],
    ["the first history forgets no earlier result", "ledger.js", "            this.#expire(confirmed.history)\n", ""],
    ["a stale leader sends", "outbox.js", "if (!(await owner.flush())) owner.deposed()", "await owner.flush()"],
    ["CR waits for LF", "sse.js", "text.split(/\\r\\n?|\\n/)", "text.split(/\\r\\n|\\n/)"],
]

const source = fileURLToPath(new URL("..", import.meta.url))
const wanted = process.argv.slice(2)
const tests = readdirSync(join(source, "tests")).filter(name => name.endsWith(".test.js") && name !== "random.test.js")
const suites = [tests, ["random.test.js"]]
let survivors = 0
for (const [name, file, text, replacement] of mutants) {
    if (wanted.length && !wanted.includes(name)) continue
    const folder = mkdtempSync(join(tmpdir(), "mutant-"))
    for (const part of ["src", "tests", "package.json"]) cpSync(join(source, part), join(folder, part), { recursive: true })
    const path = join(folder, "src", file)
    const before = readFileSync(path, "utf8")
    if (before.split(text).length !== 2) throw new Error(`${name}: the text stands ${before.split(text).length - 1} times in ${file}`)
    writeFileSync(path, before.replace(text, () => replacement))
    const passes = names =>
        spawnSync("node", ["--test", ...names.map(test => join("tests", test))], {
            cwd: folder, env: { ...process.env, RUNS: "60" }, timeout: 120000, stdio: "ignore",
        }).status === 0
    const by = suites.find(names => !passes(names))
    if (!by) survivors++
    console.log(`${by ? "noticed" : "SURVIVED"}${by?.length === 1 ? " (random)" : ""}: ${name}`)
    rmSync(folder, { recursive: true })
}
process.exitCode = survivors ? 1 : 0
