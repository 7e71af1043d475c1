import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const file = path => readFileSync(new URL("../" + path, import.meta.url), "utf8")
const chromium = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-popup-blocking",
    "--disable-background-networking", "--disable-component-update",
]

/** One page in a browser. It asks for the next script, and tells the value of the last one. */
class Tab {
    #waiting
    #arrived
    told = new Promise(resolve => (this.#arrived = resolve))

    /** The page has told a value, and waits. */
    take(value, answer) {
        this.#waiting = answer
        this.#arrived(value)
    }

    /** Runs an expression in the page. */
    async run(script) {
        await this.told
        this.told = new Promise(resolve => (this.#arrived = resolve))
        this.#waiting(script)
        return this.told
    }

    until(condition) {
        return this.run(`until(() => ${condition})`)
    }

    /** Leaves the page by a script, and waits for the next one if there is one. */
    async leave(script) {
        await this.told
        this.told = new Promise(resolve => (this.#arrived = resolve))
        this.#waiting(`new Promise(() => ${script})`)
    }
}

/** A browser without a window, and the server of its pages. */
export class Browser {
    #server = createServer((request, response) => this.#answer(request, response))
    #folder = mkdtempSync(join(tmpdir(), "browser-"))
    #process
    /** the URL that the pages use as that of the server */
    target = ""
    /** @type {Map<string, Tab>} */
    tabs = new Map()

    tab(name) {
        if (!this.tabs.has(name)) this.tabs.set(name, new Tab())
        return this.tabs.get(name)
    }

    /** @returns {Promise<string>} the origin of the pages */
    async start() {
        await new Promise(resolve => this.#server.listen(0, "127.0.0.1", () => resolve(undefined)))
        return `http://127.0.0.1:${this.#server.address().port}`
    }

    open(name, url) {
        const isFirefox = name.includes("firefox")
        const profile = isFirefox ? ["--headless", "--no-remote", "--profile", this.#folder] : [`--user-data-dir=${this.#folder}`]
        if (isFirefox) writeFileSync(join(this.#folder, "user.js"), 'user_pref("dom.disable_open_during_load", false);\n')
        this.#process = spawn(name, [...(isFirefox ? [] : chromium), ...profile, url], { stdio: "ignore", detached: true })
    }

    async #answer(request, response) {
        const { pathname, searchParams } = new URL(request.url, "http://host")
        if (pathname === "/next") {
            const told = JSON.parse((await request.toArray()).join(""))
            return this.tab(searchParams.get("tab")).take(told, script => response.end(script))
        }
        if (pathname === "/favicon.ico") return response.writeHead(404).end()
        const isScript = pathname === "/storehouse.js"
        response.writeHead(200, { "Content-Type": isScript ? "text/javascript" : "text/html" })
        response.end(isScript ? file("storehouse.js") : this.#page(pathname))
    }

    /** A page of the examples, which obeys the test. */
    #page(pathname) {
        const page = file("examples" + pathname).replace("http://127.0.0.1:8080", this.target)
        return page.replace("</script>", () => file("browsers/hook.js") + "</script>")
    }

    async close() {
        const ended = once(this.#process, "exit")
        process.kill(-this.#process.pid, "SIGKILL")
        await ended
        this.#server.close()
        this.#server.closeAllConnections()
        rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 })
    }
}
