import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { Program } from "../acceptance/support/program.js"
import { path } from "../acceptance/support/session.js"
import { settings, token } from "../acceptance/support/token.js"
import { Browser, file, hook } from "./browser.js"
import { steps } from "./steps.js"

const redux = () => readFileSync("/usr/share/nodejs/redux/dist/redux.min.js", "utf8") + "\nexport const { createStore } = self.Redux\n"
const tools = `<script>
    self.sent = []
    self.__REDUX_DEVTOOLS_EXTENSION__ = { connect: () => ({ init() {}, send: ({ type }) => sent.push(type) }) }
</script>`

test("each step of docs/clients/web.md is a page that works", { timeout: 60000 }, async t => {
    const pages = steps()
    const offline = pages.indexOf(file("examples/offline.html"))
    assert.ok(offline > 0, "the page that works offline is one of them")

    const targets = []
    const modules = {
        "/storehouse.js": () => file("storehouse.js"),
        "/devtools.js": () => file("src/devtools.js"),
        "/redux.js": () => file("src/redux.js"),
        "/debian-redux.js": redux,
    }
    const browser = new Browser(path => {
        if (path in modules) return modules[path]()
        const step = Number(path.match(/(\d+)\.html/)?.[1])
        return pages[step]
            ?.replaceAll("http://127.0.0.1:8080", targets[+(step > offline)])
            .replace(/https:\/\/esm.sh\/redux@[^"]*/, "/debian-redux.js")
            .replace("<script", tools + "<script")
            .replace("</script>\n", () => hook + "</script>\n")
    })
    const origin = await browser.start()
    const programs = [[], settings].map(more => new Program(path, { settings: [`http.allowedOrigins=${origin}`, ...more] }))
    t.after(async () => {
        await browser.close()
        for (const program of programs) await program.remove()
    })
    for (const program of programs) targets.push(`http://127.0.0.1:${await program.start()}`)
    const link = step => `${origin}/${step}.html?tab=${step}#${token("ada")}`
    browser.open("chromium", link(0))

    let count = 0
    for (const [step, page] of pages.entries()) {
        const tab = browser.tab(String(step))
        if (step) await browser.tab("0").run(`void open("${link(step)}")`)
        await tab.until("store.connection.status === 'live'")
        if (step === offline + 1) count = 0
        const shown = await tab.run("(add.click(), count.textContent)")
        // Only the rules of the store tell what comes of an action.
        assert.equal(shown, String(count + (page.includes("reducer") ? 1 : 0)), `step ${step}`)
        count++
        await tab.until(`count.textContent === "${count}" && !store.pending.length`)
        if (page.includes("connection.textContent")) assert.equal(await tab.run("connection.textContent"), "live")
        if (page.includes("bet.onclick")) {
            await tab.run("void bet.click()")
            await tab.until("refusal.textContent === 'empty-betslip'")
        }
        if (page.includes("devtools(store)")) {
            assert.ok(await tab.run("sent.includes('pending counter/increment') && sent.includes('committed counter/increment')"))
        }
        if (step) await tab.leave("location.href = 'about:blank'") // a browser has six connections to a server
    }
    assert.match(pages.at(-1), /reduxEnhancer/)
})

test("a page shows and predicts a part of a session, at an address that it is told", { timeout: 60000 }, async t => {
    let server = ""
    const browser = new Browser(path => {
        if (path === "/config.json") return JSON.stringify({ server })
        return path === "/part.html" ? file("examples/part.html").replace("</script>\n", () => hook + "</script>\n") : undefined
    })
    const origin = await browser.start()
    const program = new Program(path, { settings: [`http.allowedOrigins=${origin}`, ...settings] })
    t.after(async () => {
        await browser.close()
        await program.remove()
    })
    server = `http://127.0.0.1:${await program.start()}`
    const headers = { Authorization: `Bearer ${token("ada")}`, "Content-Type": "application/json" }
    const { id } = await (await fetch(`${server}/sessions`, { method: "POST", headers, body: '{"store":"app"}' })).json()
    browser.open("chromium", `${origin}/part.html?tab=part&session=${id}#${token("ada")}`)
    const tab = browser.tab("part")
    await tab.until("store.connection.status === 'live'")
    assert.equal(await tab.run("(add.click(), count.textContent)"), "1")
    await tab.until("!store.pending.length")
    assert.deepEqual(await tab.run("store.confirmed"), { count: 1 })
})
