// The surroundings of one tab: its network, its visibility, and what the browser does to it.
import { FakeChannels, FakeLocks } from "../support/browser.js"
import { disk } from "./disk.js"

const locks = new FakeLocks()
const channels = new FakeChannels()

/** Faults of the browser that the kit must notice. */
export const faults = {
    /** Each tab gets the lock. */
    everyTabLeads: request => ({ ...request, name: request.name + Math.random() }),
    /** A lock cannot be taken from a tab that is frozen. */
    noLockIsStolen: request => ({ ...request, how: { ...request.how, steal: false } }),
}

/** Messages that a broken browser loses. */
export const losses = { resultsAreLost: "results", entriesAreLost: "entry", eventsAreLost: "events" }

export class Tab {
    isFrozen = false
    isHidden = false
    missed = []
    hear = () => {}
    #isDead = false
    #killed = new AbortController()

    freeze() {
        this.isFrozen = true
    }

    thaw() {
        this.isFrozen = false
        for (const call of this.missed.splice(0)) call()
    }

    hide() {
        this.isHidden = true
        this.hear("hidden")
    }

    show() {
        this.isHidden = false
        this.hear("visible")
    }

    /** The page is closed: it is told so, and runs no more code. */
    shut() {
        this.hear("pagehide")
        this.kill()
    }

    /** It runs no more code, and nothing that it has sent is on its way. */
    kill() {
        this.isFrozen = this.#isDead = true
        this.#killed.abort()
        channels.kill(this)
        locks.kill(this)
    }

    /** @returns the environment of the store of this tab */
    environment(clock, random, { storage, locks: hasLocks = true }, fault) {
        return {
            fetch: (url, init = {}) => this.#fetch(url, init),
            now: () => clock.time,
            wall: () => clock.time,
            setTimeout: (run, delay) => clock.set(() => this.#run(run), delay),
            clearTimeout: clock.clear,
            random,
            id: () => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url"),
            frame: paint => paint(),
            indexedDB: storage && disk(storage),
            locks: storage && hasLocks ? { request: (name, how, hold) => this.#lock(name, how, hold, fault) } : undefined,
            channel: storage ? name => this.#channel(name, fault) : undefined,
            page: {
                isHidden: () => this.isHidden,
                listen: listener => ((this.hear = listener), () => (this.hear = () => {})),
            },
        }
    }

    #run(call) {
        if (this.isFrozen) this.missed.push(call)
        else if (!this.#isDead) call()
    }

    /** A frozen page goes on with nothing until it wakes. */
    async #gate(promise) {
        try {
            return await promise
        } finally {
            while (this.isFrozen) await new Promise(resolve => this.missed.push(resolve))
        }
    }

    #lock(name, how, hold, fault) {
        const request = (faults[fault] ?? (asked => asked))({ name, how })
        const held = lock => this.#gate(Promise.resolve(lock)).then(hold)
        return this.#gate(locks.request(request.name, request.how, held, this))
    }

    #channel(name, fault) {
        const channel = channels.make(this)(name)
        const { postMessage } = channel
        const isLost = message => fault in losses && losses[fault] === message.type
        channel.postMessage = message => (isLost(message) ? undefined : postMessage(message))
        return channel
    }

    async #fetch(url, init) {
        const signals = [init.signal, this.#killed.signal].filter(Boolean)
        const response = await this.#gate(fetch(url, { ...init, signal: AbortSignal.any(signals) }))
        return {
            status: response.status, ok: response.ok, headers: response.headers,
            json: () => this.#gate(response.json()),
            body: response.body && { getReader: () => this.#reader(response.body.getReader()) },
        }
    }

    #reader(reader) {
        return { read: () => this.#gate(reader.read()) }
    }
}
