import assert from "node:assert/strict"
import { test } from "node:test"
import { Browser, file, hook } from "./browser.js"
import { modules, withLocalReact } from "./react.js"
import { ask, start } from "../acceptance/support/session.js"

const isLive = "store.connection.status === 'live'"
const isDone = count => `store.confirmed.counter.count === ${count} && !store.pending.length`

for (const name of ["chromium", "firefox-esr"]) {
    test(`two tabs of ${name} share a stream and an outbox`, { timeout: 60000 }, async t => {
        let target = ""
        const example = path => withLocalReact(file("examples" + path)).replaceAll("http://127.0.0.1:8080", target)
        const browser = new Browser(path => {
            if (path in modules) return modules[path]()
            if (path === "/storehouse.js") return file("storehouse.js")
            return path.endsWith(".html") ? example(path).replace(/<\/script>\n*$/, () => hook + "</script>\n") : undefined
        })
        const origin = await browser.start()
        t.after(() => browser.close())
        const { program, relay, url, stop } = await start({ settings: [`http.allowedOrigins=${origin}`] })
        t.after(stop)
        target = url
        const [plain, react, first, second] = ["plain", "react", "first", "second"].map(name => browser.tab(name))
        const open = (page, tab) => `void open(${JSON.stringify(`${origin}/${page}?tab=${tab}`)})`

        t.diagnostic("a page without a reducer shows what the server has committed")
        browser.open(name, `${origin}/counter.html?tab=plain`)
        await plain.until(isLive)
        const actions = `/sessions/${await plain.run("localStorage.session")}/actions`
        const log = async () => (await ask(relay, actions)).actions.length
        await plain.run("void add.click()")
        await plain.until("count.textContent === '1'")
        relay.requests.length = 0

        t.diagnostic("an action is shown at once, in the other tab too")
        await plain.run(open("offline.html", "first"))
        await first.until(isLive)
        await first.run(open("offline.html", "second"))
        await second.until(isLive)
        assert.equal(await second.run("(add.click(), count.textContent)"), "2")
        await first.until(isDone(2))
        assert.equal(relay.requests.filter(({ method, path }) => method === "GET" && path.includes("/events")).length, 1)

        t.diagnostic("a refusal comes with its reason")
        assert.equal(await second.run("store.dispatch({ type: 'betslip/placeBet' }).catch(({ reason }) => reason)"), "empty-betslip")

        t.diagnostic("actions made offline outlive a reload and a restart, and are committed once")
        relay.target = 0
        await program.stop()
        relay.cut()
        for (const tab of [first, second]) await tab.until("store.connection.isStale")
        await first.run("void add.click()")
        assert.equal(await second.run("(add.click(), connection.textContent)"), "reconnecting")
        for (const tab of [first, second]) await tab.until("store.state.counter.count === 4")
        await second.run("store.dispatch({ type: 'counter/increment', payload: { by: 1 } }).stored")
        await second.leave("location.reload()")
        await second.until("store.state?.counter.count === 5 && store.connection.isStale")
        relay.target = await program.start()
        for (const tab of [second, first]) await tab.until(isDone(5))
        assert.equal(await log(), 5)

        t.diagnostic("the other tab goes on when one leaves")
        await first.leave("location.href = 'about:blank'")
        await second.run("store.dispatch({ type: 'counter/increment', payload: { by: 1 } }).then(() => 0)")
        assert.equal(await second.run("count.textContent"), "6")
        assert.equal(await log(), 6)

        t.diagnostic("a component of React shows it too, and is drawn again after a press")
        await plain.run(open("react.html", "react"))
        await react.until("root.textContent === '+1 6 live'")
        await react.run("void root.querySelector('button').click()")
        await react.until("root.textContent === '+1 7 live' && root.querySelector('[aria-busy=false]')")

        t.diagnostic("signing out deletes what the disk has")
        await second.run("store.signOut()")
        relay.target = 0
        relay.cut()
        await second.leave("location.reload()")
        assert.equal(await second.run("store.dispatch({ type: 'x/y' }).stored.then(() => [store.state, store.pending.length].join())"), ",1")
    })
}
