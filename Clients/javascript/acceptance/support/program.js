import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

/** The server, as it is released, with SQLite or a memory of its own. */
export class Program {
    #path
    #settings
    #folder = mkdtempSync(join(tmpdir(), "storehouse-"))
    #process
    log = []

    /** @param {string} path @param {{storage?: "sqlite" | "memory", settings?: string[]}} [options] */
    constructor(path, { storage = "sqlite", settings = [] } = {}) {
        this.#path = path
        const disk = storage === "sqlite" ? [`storage.path=${this.#file("db")}`] : []
        this.#settings = [`storage.kind=${storage}`, ...disk, ...settings].flatMap(setting => ["--set", setting])
    }

    /** @returns {Promise<number>} the port at which it listens */
    async start() {
        const options = ["serve", "--port", "0", ...this.#settings]
        this.#process = spawn(this.#path, options, { stdio: ["ignore", "ignore", "pipe"] })
        const { pid } = this.#process
        process.once("exit", () => this.#process.pid === pid && this.#process.kill("SIGKILL"))
        for await (const line of createInterface({ input: this.#process.stderr })) {
            this.log.push(line)
            const port = /listening on http:\/\/[^:]*:(\d+)/.exec(line)?.[1]
            if (!port) continue
            this.#process.stderr.on("data", () => {}) // a full pipe would stop the server
            return +port
        }
        throw new Error("the server does not listen:\n" + this.log.join("\n"))
    }

    /** Copies the sessions of the running server. */
    backUp() {
        this.#command("backup", "--storage", this.#file("db"), "--to", this.#file("copy"))
    }

    /** Puts the copy in the place of the sessions, while no server runs. */
    restore() {
        renameSync(this.#file("db"), this.#file("old"))
        for (const rest of ["db-wal", "db-shm"]) rmSync(this.#file(rest), { force: true })
        this.#command("restore", "--from", this.#file("copy"), "--storage", this.#file("db"))
    }

    #command(...words) {
        execFileSync(this.#path, words, { stdio: "pipe" })
    }

    #file(name) {
        return join(this.#folder, name)
    }

    /** @param {NodeJS.Signals} [signal] */
    async stop(signal = "SIGKILL") {
        if (this.#process.exitCode !== null || this.#process.signalCode) return
        const exit = once(this.#process, "exit")
        this.#process.kill(signal)
        await exit
    }

    async remove() {
        await this.stop()
        rmSync(this.#folder, { recursive: true, force: true })
    }
}
