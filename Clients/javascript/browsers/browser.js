import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { DevTools } from "./devtools.js"

const chromium = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-popup-blocking",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
]
const types = { ".html": "text/html", ".js": "text/javascript", ".json": "application/json", ".css": "text/css" }

/** @param {string} path from the folder of the client */
export const file = path => readFileSync(new URL("../" + path, import.meta.url), "utf8")

/** The code by which a page that has a `store` obeys the test. */
export const hook = file("browsers/hook.js")

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
    #pages
    /** commands for Chromium; Firefox has none */
    devTools
    /** @type {Map<string, Tab>} */
    tabs = new Map()

    /** @param {(path: string) => string | undefined} pages gives the text of a page, a script or a style */
    constructor(pages) {
        this.#pages = pages
    }

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
        const pipes = isFirefox ? [] : ["pipe", "pipe"] // of DevTools
        const options = { stdio: ["ignore", "ignore", "ignore", ...pipes], detached: true }
        this.#process = spawn(name, [...(isFirefox ? [] : chromium), ...profile, url], options)
        this.devTools = isFirefox ? undefined : new DevTools(this.#process)
    }

    async #answer(request, response) {
        const { pathname, searchParams } = new URL(request.url, "http://host")
        if (pathname === "/next") {
            const told = JSON.parse((await request.toArray()).join(""))
            return this.tab(searchParams.get("tab")).take(told, script => response.end(script))
        }
        const text = this.#pages(pathname)
        if (text === undefined) return response.writeHead(404).end()
        response.writeHead(200, { "Content-Type": types[extname(pathname)] })
        response.end(text)
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
