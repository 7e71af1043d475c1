import { createStore } from "../../src/store.js"
import { FakeChannels, FakeLocks } from "./browser.js"
import { Clock, settle } from "./clock.js"
import { FakeIndexedDB } from "./indexeddb.js"
import { reducer } from "./kind.js"
import { Network } from "./network.js"
import { Server } from "./server.js"

export const address = "https://host/sessions/abcdefghijklmnopqrstuv"
export const increment = (by = 1, id = undefined) => ({ type: "counter/increment", payload: { by, id } })

export const add = id => ({ type: "items/add", payload: { id } })
export const disk = { storage: "indexeddb" }

/** One server, one browser, and time. */
export class World {
    clock = new Clock()
    server = new Server(this.clock)
    network = new Network(this.server, this.clock)
    browser = newBrowser()
    random = () => 0.5
    tabs = []
    #ids = 0

    get disk() {
        return this.browser.disk
    }

    /** Opens a page with a store. */
    open(options = {}, { url = address, hasTabs = options.storage === "indexeddb", network = this.network, browser = this.browser } = {}) {
        const tab = { browser, isFrozen: false, isHidden: false, missed: [], hear: () => {} }
        const run = call => (tab.isFrozen ? tab.missed.push(call) : tab.isDead || call())
        const killed = new AbortController()
        tab.die = () => killed.abort()
        // A frozen page goes on with nothing until it wakes.
        const gate = async promise => {
            const wake = async () => {
                while (tab.isFrozen) await new Promise(resolve => tab.missed.push(resolve))
            }
            try {
                const value = await promise
                await wake()
                return value
            } catch (error) {
                await wake()
                throw error
            }
        }
        const environment = {
            ...this.clock,
            setTimeout: (call, delay) => this.clock.setTimeout(() => run(call), delay),
            fetch: (target, init) => {
                const signal = init.signal ? AbortSignal.any([init.signal, killed.signal]) : killed.signal
                return tab.isDead ? new Promise(() => {}) : gate(network.fetch(target, { ...init, signal })).then(response => gated(response, gate))
            },
            random: () => this.random(),
            id: () => `id${String(++this.#ids).padStart(20, "0")}`,
            frame: paint => paint(),
            indexedDB: browser.disk,
            locks: hasTabs ? { request: (name, how, hold) => gate(browser.locks.request(name, how, lock => gate(lock).then(hold), tab)) } : undefined,
            channel: hasTabs ? browser.channels.make(tab) : undefined,
            page: {
                isHidden: () => tab.isHidden,
                listen: hear => {
                    tab.hear = hear
                    return () => (tab.hear = () => {})
                },
            },
        }
        const store = createStore(url, { reducer, ...options }, environment)
        tab.store = store
        this.tabs.push(tab)
        tab.connections = []
        store.onConnection(state => tab.connections.push(state))
        tab.reports = []
        store.onReport(report => tab.reports.push(report))
        tab.shown = []
        store.subscribe(() => tab.shown.push(store.state))
        return Object.assign(tab, {
            hide: () => ((tab.isHidden = true), tab.hear("hidden")),
            show: () => ((tab.isHidden = false), tab.hear("visible")),
            freeze: () => (tab.isFrozen = true),
            thaw: () => {
                tab.isFrozen = false
                for (const call of tab.missed.splice(0)) call()
            },
            close: () => {
                tab.hear("pagehide")
                this.kill(tab)
            },
        })
    }

    /** Ends a page as a crash does: it runs no more code. */
    kill(tab) {
        tab.isDead = true
        tab.isFrozen = true
        tab.die()
        tab.browser.channels.kill(tab)
        tab.browser.locks.kill(tab)
    }

    /** A page that is live. */
    async live(options, how) {
        const tab = this.open(options, how)
        for (let i = 0; i < 8; i++) await settle()
        return tab
    }

    advance(milliseconds) {
        return this.clock.advance(milliseconds)
    }
}

const gated = (response, gate) => ({
    ...response,
    body: response.body && { getReader: () => (reader => ({ read: () => gate(reader.read()) }))(response.body.getReader()) },
})

export const newBrowser = () => ({ disk: new FakeIndexedDB(), locks: new FakeLocks(), channels: new FakeChannels() })

export { reducer, settle }
