import { start } from "../../Clients/javascript/acceptance/support/session.js"
import { Browser, file, hook } from "../../Clients/javascript/browsers/browser.js"
import { median, quantile } from "./statistics.mjs"

const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))
const clock = () => performance.timeOrigin + performance.now()
const isLive = "store.connection.status === 'live'"
const session = crypto.randomUUID()

/** A page with the state of the session, and the time at which each count was painted. */
const page = target => `<!doctype html>
<output id="count"></output>
<script type="module">
    import { connect } from "./storehouse.js"

    window.painted = {}
    const store = connect("${target}/sessions/${session}", { create: "app", storage: "indexeddb" })
    store.subscribe(() => {
        const value = store.state?.counter.count
        count.textContent = value
        // This runs before the frame is painted, and a message comes after it.
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => {
            painted[value] ??= performance.timeOrigin + performance.now()
            document.body.dataset.painted = value // wakes what waits for it
        }
        port2.postMessage(0)
    })
${hook}</script>
`

/** A page without a store, which opens the others. */
const opener = `<!doctype html>
<script type="module">
    const store = { subscribe() {}, onConnection() {} }
${hook}</script>
`

/** Runs something with Chromium and a server behind a relay. */
async function browsed(run) {
    let target = ""
    const pages = { "/storehouse.js": () => file("storehouse.js"), "/opener.html": () => opener, "/page.html": () => page(target) }
    const browser = new Browser(path => pages[path]?.())
    const origin = await browser.start()
    const { relay, url, stop } = await start({ storage: "memory", settings: [`http.allowedOrigins=${origin}`] })
    target = url
    try {
        browser.open("chromium", `${origin}/opener.html?tab=opener`)
        const open = async name => {
            await browser.tab("opener").run(`void open("${origin}/page.html?tab=${name}")`)
            await browser.tab(name).until(isLive)
            return browser.tab(name)
        }
        return await run(open, relay, `http://127.0.0.1:${relay.target}/sessions/${session}/actions`)
    } finally {
        await browser.close()
        await stop()
    }
}

/** Milliseconds from the POST of another client until a page has painted its value. */
export const frames = count =>
    browsed(async (open, _, actions) => {
        const tab = await open("page")
        const sent = []
        for (let i = 1; i <= count; i++) {
            await sleep(20 + Math.random() * 40)
            sent[i] = clock()
            await fetch(actions, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"type":"counter/increment"}' })
            await tab.until(`painted[${i}]`)
        }
        const painted = await tab.run("painted")
        const took = sent.map((time, i) => painted[i] - time).slice(1)
        return { p50Ms: median(took), p99Ms: quantile(took, 0.99) }
    })

/** Milliseconds from the command that ends the tab that leads until another one has asked for the stream. */
export const leader = count =>
    browsed(async (open, relay) => {
        let leading = await open("tab0")
        const took = []
        for (let i = 1; i <= count; i++) {
            const next = await open("tab" + i)
            const asked = new Promise(resolve => {
                const { push } = relay.requests
                relay.requests.push = function (request) {
                    if (request.path.includes("/events")) resolve(clock())
                    return push.call(this, request)
                }
            })
            const begin = clock()
            await leading.leave("location.href = 'about:blank'")
            took.push((await asked) - begin)
            await next.until(isLive)
            leading = next
        }
        return { leaderMs: median(took), leaderMostMs: Math.max(...took) }
    })
