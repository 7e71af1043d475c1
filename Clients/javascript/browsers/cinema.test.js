import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { test } from "node:test"
import { path, start as serve } from "../acceptance/support/session.js"
import { settings, token } from "../acceptance/support/token.js"
import { Browser, file, hook } from "./browser.js"
import { modules, withLocalReact } from "./react.js"

const cinema = join(dirname(path), "ExampleCinema")

/** A file of the example, which uses this server. */
const example = (path, target) => withLocalReact(file("../../Examples/Web" + path)).replaceAll("http://127.0.0.1:8080", target)

const classOf = seat => `document.getElementById("seat-${seat}").className`
const press = seat => `(document.getElementById("seat-${seat}").click(), ${classOf(seat)})`
const text = id => `document.getElementById("${id}").textContent`
const isLive = `${text("status")} === "live"`

/** A browser whose tabs are those of guests, with the cinema behind a relay. */
async function start(t, name) {
    let target = ""
    const pages = path => {
        if (path in modules) return modules[path]()
        if (!existsSync(new URL("../../../Examples/Web" + path, import.meta.url))) return undefined
        const page = example(path, target)
        return path.endsWith(".html") ? `${page}<script type="module">\nimport { store } from "./hall.js"\n${hook}</script>\n` : page
    }
    const browser = new Browser(pages)
    const origin = await browser.start()
    t.after(() => browser.close())
    const options = { settings: [...settings, "upstreams.maxDelay=0", `http.allowedOrigins=${origin}`] }
    const { program, relay, url, stop } = await serve(options, cinema)
    t.after(stop)
    target = url
    const link = (page, tab, ticket) => `${origin}/${page}.html?tab=${tab}#${ticket}`
    const first = browser.tab("ada")
    browser.open(name, link("cinema", "ada", token("ada")))
    await first.until(isLive)
    const open = async (page, guest, condition = isLive, ticket = token(guest)) => {
        const tab = browser.tab(guest + " " + page)
        await first.run(`void open(${JSON.stringify(link(page, guest + " " + page, ticket))})`)
        await tab.until(condition)
        return tab
    }
    return { browser, relay, program, first, open }
}

for (const name of ["chromium", "firefox-esr"]) {
    test(`guests in ${name} hold and pay seats on both pages`, { timeout: 60000 }, async t => {
        const { relay, program, first: ada, open } = await start(t, name)

        t.diagnostic("the page with React shares the stream of the plain page, and shows what happens there")
        relay.requests.length = 0
        const react = await open("react", "ada")
        assert.equal(await ada.run(press(7)), "mine")
        await react.until(`${classOf(7)} === "mine"`)
        await react.run(press(8))
        await ada.until(`${classOf(8)} === "mine"`)
        assert.ok(!relay.requests.some(({ path }) => path.includes("/events")))

        t.diagnostic("another guest sees them taken, also when they are paid")
        const bob = await open("cinema", "bob")
        await bob.until(`${classOf(7)} === "taken" && ${classOf(8)} === "taken"`)
        await react.run("void document.getElementById('pay').click()")
        for (const tab of [ada, react]) await tab.until(`${classOf(7)} === "sold" && ${classOf(8)} === "sold"`)

        t.diagnostic("a seat that is taken is refused with the reason")
        for (const tab of [bob, await open("react", "bob")]) {
            await tab.run(press(7))
            await tab.until(`${text("refusal")} === "taken" && ${classOf(7)} === "taken"`)
        }

        t.diagnostic("the bank declines, and the seat is free again")
        const nobody = await open("react", "Nobody")
        await nobody.run(press(9))
        await nobody.until(`${classOf(9)} === "mine" && !document.getElementById("pay").disabled`)
        await nobody.run("void document.getElementById('pay').click()")
        await nobody.until(`${text("refusal")} === "no-funds" && ${classOf(9)} === "free"`)

        t.diagnostic("two guests hold one seat without a network, and one of them gets it")
        relay.target = 0
        await program.stop()
        relay.cut()
        for (const tab of [ada, bob, react]) await tab.until(`${text("status")} !== "live"`)
        for (const tab of [ada, bob]) assert.equal(await tab.run(press(20)), "mine")
        await react.until(`${classOf(20)} === "mine"`)
        relay.target = await program.start()
        for (const tab of [ada, bob, react]) await tab.until(`${isLive} && !store.pending.length`)
        const seats = await Promise.all([ada, bob].map(tab => tab.run(classOf(20))))
        assert.deepEqual(seats.sort(), ["mine", "taken"])
        assert.equal(await react.run(classOf(20)), await ada.run(classOf(20)))
        await (await ada.run(classOf(20)) === "mine" ? bob : ada).until(`${text("refusal")} === "taken"`)

        t.diagnostic("with a token that has expired an action waits for another one")
        const eve = await open("cinema", "eve", `${text("status")} === "unauthorized"`, token("eve", -3600))
        await eve.run("store.dispatch({ type: 'cinema/hold', payload: { seat: 30 } }).stored")
        await eve.leave(`location.hash = "${token("eve")}"`)
        await eve.until(`${isLive} && !store.pending.length && ${classOf(30)} === "mine"`)
        await ada.until(`${classOf(30)} === "taken"`)
    })
}

test("a frozen tab of chromium holds up no other tab, and sends afterwards what it has begun", { timeout: 60000 }, async t => {
    const { browser, first: ada, open } = await start(t, "chromium")
    const setState = state => browser.devTools.sendTo("tab=ada#", "Page.setWebLifecycleState", { state })
    const other = await open("cinema", "ada")

    t.diagnostic("the other tab leads at once, while the disk has not done all that the frozen one has begun")
    await ada.run("void [...document.querySelectorAll('#seats button')].slice(0, 60).forEach(button => button.click())")
    await setState("frozen")
    assert.equal(await other.run(press(70)), "mine")
    await other.run("store.dispatch({ type: 'cinema/hold', payload: { seat: 80 } }).then(() => 0)")
    await other.until("store.confirmed.seats.entities[70] && store.confirmed.seats.entities[80]")

    t.diagnostic("it follows when it goes on")
    await setState("active")
    for (const tab of [ada, other]) await tab.until("!store.pending.length && store.confirmed.seats.ids.length === 62")
    for (const tab of [ada, other]) assert.equal(await tab.run("document.querySelectorAll('.mine').length"), 62)
})
