import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { test } from "node:test"
import { withExactNumbers } from "./support/exact.js"
import { curl, javaScript, link, literal, parse, quoted, raw, storehouseSend, swiftTest } from "./support/model.js"
import { Random } from "./support/random.js"

const where = { base: "http://127.0.0.1:8080/", session: "9GZ3mXk0cYbq2vT1sQeRpA" }
const entry = (type, payload, more = {}) => ({ revision: 12, type, payload, origin: "client", at: "", ...more })

/** The words that a shell makes of a line, in which a function stands for the command. */
function words(line, command, environment = {}) {
    const script = `${command}() { printf '%s\\0' "$@"; }\n${line}\n`
    return execFileSync("sh", ["-c", script], { env: { PATH: process.env.PATH, ...environment } }).toString().split("\0").slice(0, -1)
}

const nasty = ["", "'", "''", "'\\''", "\"", "\\", "$HOME", "`id`", "$(id)", "a\nb", "!x", "~", "-x", "*", "# x", "a b", "é🦊", "%s", "\t", "@file", "x;y&z|w>v<u"]

test("a shell makes one word of what is quoted, the text itself", () => {
    for (const text of nasty) assert.deepEqual(words(`echo_ ${quoted(text)}`, "echo_"), [text], text)
})

test("curl sends the action that was logged", () => {
    for (let seed = 1; seed <= 40; seed++) {
        const random = new Random(seed)
        const payload = { ...random.object(3), text: random.pick(nasty) }
        const type = random.pick(["tasks/add", "it's/$x"])
        const found = words(curl(entry(type, payload), where), "curl")
        assert.equal(found[1], `http://127.0.0.1:8080/sessions/${where.session}/actions`)
        assert.deepEqual(JSON.parse(found.at(-1)), { type, payload })
    }
    assert.deepEqual(JSON.parse(words(curl(entry("a/b", {}), where), "curl").at(-1)), { type: "a/b" })
    const token = words(curl(entry("a/b", {}), { ...where, needsToken: true }), "curl", { TOKEN: "x y" })
    assert.ok(token.includes("Authorization: Bearer x y"))
    const share = words(curl(entry("a/b", {}), { base: "https://x/base", share: "a.b-c" }), "curl")
    assert.equal(share[1], "https://x/base/shared/a.b-c/actions")
})

test("storehouse send gets the members of the payload", () => {
    for (let seed = 1; seed <= 40; seed++) {
        const random = new Random(seed)
        const { "": _, ...payload } = { ...random.object(4), text: random.pick(nasty), word: "Ada", not: "true" }
        const isOdd = Object.keys(payload).some(key => !/^[ -~]+$/.test(key))
        if (isOdd) continue
        const found = words(storehouseSend(entry("tasks/add", payload), where), "storehouse").filter(word => word !== "--")
        const [command, url, type, ...members] = found
        assert.deepEqual([command, url, type], ["send", `http://127.0.0.1:8080/sessions/${where.session}`, "tasks/add"])
        const pairs = members.map(member => {
            const at = member.indexOf("=")
            const isJSON = member[at - 1] === ":"
            return isJSON ? [member.slice(0, at - 1), JSON.parse(member.slice(at + 1))] : [member.slice(0, at), member.slice(at + 1)]
        })
        assert.deepEqual(Object.fromEntries(pairs), payload)
    }
    assert.match(storehouseSend(entry("tasks/add", { title: "Water" }), where), / tasks\/add title=Water$/)
    assert.match(storehouseSend(entry("tasks/add", { id: 1, on: "2" }), where), / id:=1 'on:="2"'$/)
    assert.match(storehouseSend(entry("tasks/add", { "-x": 1 }), where), /send -- http/)
    for (const key of ["", "a=b", "a\u0600", "\0"]) assert.match(storehouseSend(entry("a/b", { [key]: 1 }), where), /^# 'storehouse send' cannot .*\ncurl /)
})

test("the program for a browser is JavaScript that means the same action", () => {
    for (let seed = 1; seed <= 60; seed++) {
        const random = new Random(seed)
        const action = { type: "tasks/add", payload: { ...random.object(4), text: random.pick(nasty), line: "\u2028\n" } }
        const source = javaScript(entry(action.type, action.payload), where)
        const [, made] = /store\.dispatch\(([^]*)\)$/.exec(source)
        assert.deepEqual(new Function(`return ${made}`)(), action)
    }
    assert.match(javaScript(entry("a/b", {}), where), /^import \{ connect \} from "http:\/\/127.0.0.1:8080\/client.js"$/m)
    withExactNumbers(() => assert.match(javaScript(entry("a/b", parse('{"id":9223372036854775807,"no":"9223372036854775807"}')), where),
        /"id": JSON.rawJSON\("9223372036854775807"\),\n *"no": "9223372036854775807"/))
})

test("a secret is a placeholder with a note, and a text of stars is not", () => {
    const secret = entry("login/enter", { username: "***", password: "***" })
    const action = { payload: { properties: { username: {}, password: { writeOnly: true } } } }
    const copies = [curl, storehouseSend, javaScript].map(copy => copy(secret, { ...where, action }))
    for (const copy of copies) {
        assert.match(copy, /^(#|\/\/) Write the secret in place of THE-SECRET/m)
        assert.equal(copy.match(/\*\*\*/g).length, 1)
    }
    assert.equal(curl(secret, where).match(/THE-SECRET"/g).length, 2)
    assert.match(words(curl(secret, { ...where, action }), "curl").at(-1), /"password":"THE-SECRET"/)
})

test("a link leads to what is shown", () => {
    assert.equal(link({ base: "https://x/base/?a#old", session: "abc", at: 12, tab: "state" }), "https://x/base/#abc/at/12/state")
})

const kind = {
    name: "order",
    actions: [
        { type: "cart/add", payload: { properties: { item: { type: "string" }, count: { type: "integer", default: 1 }, note: { type: "string" } } } },
        { type: "order/vote", filled: { by: "user" }, payload: { properties: { option: { type: "string" } } } },
        { type: "login/enter", payload: { properties: { password: { writeOnly: true } } } },
    ],
}

test("a test in Swift has both states, and the action with all its values", () => {
    const [before, after] = [{ cart: { items: [] } }, { cart: { items: ["Tea \"x\""] } }]
    const swift = swiftTest({ kind, entry: entry("cart/add", { item: "Tea \"x\"" }), before, after })
    assert.match(swift, /^@Test func cartAddAtRevision12\(\) throws \{$/m)
    assert.match(swift, /^ {4}let store = TestStore\(before, reducer: order.reducer\)$/m)
    assert.match(swift, /^ {4}try store.dispatch\(cart\(add\("Tea \\"x\\"", 1, nil\)\)\) \{ \$0 = after \}$/m)
    assert.match(swift, /^ {4}\/\/ \+ \/cart\/items\/0: "Tea/m)
    assert.match(swift, /^ {4}try store.finish\(\)$/m)
})

test("a test in Swift says who acts, and leaves out what the server fills in", () => {
    const actor = { kind: "user", id: "ada", name: "Ada \\(x)", roles: ["cashier"] }
    const swift = swiftTest({ kind, entry: entry("order/vote", { option: "tea", by: "ada" }, { actor }), before: {}, after: {} })
    assert.match(swift, /try store\.as\(\.user\("ada", name: "Ada \\\\\(x\)", roles: \["cashier"\]\)\)\.dispatch\(vote\("tea"\)\)$/m)
    assert.ok(!swift.includes("after"))
    const close = { type: "order/close", filled: { at: "now", id: "id" }, payload: { properties: { id: { type: "string" } } } }
    const filled = { kind: { name: "order", actions: [close] }, entry: entry("order/close", { at: 5000, id: "x" }), before: {}, after: {} }
    filled.entry.at = "1970-01-01T00:00:05.000Z"
    const closing = swiftTest(filled)
    assert.match(closing, /TestStore\(before, reducer: order.reducer, clock: TestClock\(now: 5000\)\)$/m)
    assert.match(closing, /filled in an id.*\n.*dispatch\(close\(\)\)$/m)
    const secret = swiftTest({ kind, entry: entry("login/enter", { password: "***" }), before: {}, after: {} })
    assert.match(secret, /^ {4}\/\/ Write the secret.*\n {4}try store\.dispatch\(login\(enter\("THE-SECRET"\)\)\)$/m)
})

test("texts in Swift are literals, whatever they contain", () => {
    assert.equal(literal("a\"b\\(c)\n\t\0"), '"a\\"b\\\\(c)\\n\\t\\u{0}"')
    assert.equal(literal("\u202e\u2028é🦊"), '"\\u{202e}\\u{2028}é🦊"')
    for (const value of ['"#', '"""#', '"##', "\\#(x)", '"""', "\u2028", "\u{e0001}"]) {
        const found = /^(#+)"""\n([^]*)\n"""\1$/.exec(raw({ value }))
        assert.ok(!found[2].includes(`"${found[1]}`) && !found[2].includes(`\\${found[1]}`))
        assert.deepEqual(JSON.parse(found[2]), { value })
        assert.equal(found[2].split(/[\n\u2028]/).length, 3)
    }
})
