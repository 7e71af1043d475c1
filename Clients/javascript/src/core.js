import { Alarm } from "./alarm.js"
import { backoff } from "./backoff.js"
import { DiskStorage } from "./disk.js"
import { Ledger } from "./ledger.js"
import { MemoryStorage } from "./memory.js"
import { Outbox } from "./outbox.js"
import { ended } from "./problem.js"
import { Stream } from "./stream.js"
import { Tabs } from "./tabs.js"
import { claims, Tokens } from "./tokens.js"

/** @typedef {import("./replay.js").Entry} Entry */
/** @typedef {import("./replay.js").Event} Event */
/** @typedef {import("./connection.js").ConnectionState} ConnectionState */
/** @typedef {import("./environment.js").Environment} Environment */
/** @typedef {import("./ledger.js").LedgerOwner & {connected: (state: ConnectionState) => void}} Owner */

const slow = 2000 // a disk that takes longer is not used
const cachePause = 1000

/** Joins stream, outbox, ledger, disk and tabs. The tab that leads passes on all that it learns. */
export class Core {
    ledger
    stream
    outbox
    tokens
    url
    options
    report
    /** Settles when the outbox is loaded, so that entries can be numbered. */
    loaded
    isLeader = false
    #environment
    #owner
    /** @type {import("./memory.js").Storage} */
    #storage
    /** @type {Tabs | undefined} */
    #tabs
    #failures = 0
    #cacheAlarm
    #retryAlarm
    #ignorePage

    /**
     * @param {string} url @param {import("./options.js").Options} options
     * @param {Environment} environment @param {Owner} owner
     */
    constructor(url, options, environment, owner) {
        this.url = url
        this.options = options
        this.report = owner.report
        this.#environment = environment
        this.#owner = owner
        this.ledger = new Ledger(options, owner)
        this.tokens = new Tokens(options.token, environment)
        this.outbox = new Outbox(environment, this)
        this.stream = new Stream(environment, this)
        this.#storage = new MemoryStorage(environment.id())
        this.#cacheAlarm = new Alarm(environment, () => this.#save())
        this.#ignorePage = environment.page.listen(event => this.#turn(event))
        /** @type {() => void} */
        let begun = () => {}
        this.loaded = new Promise(resolve => (begun = () => resolve(undefined)))
        this.#retryAlarm = new Alarm(environment, () => this.#begin(begun))
        this.#begin(begun)
    }

    get connection() {
        return this.stream.connection.state
    }

    get isEnded() {
        return this.connection.status === "ended"
    }

    /** @param {Entry} entry whose replay is shown already */
    async append(entry) {
        await this.loaded
        if (this.isEnded) throw ended(this.connection)
        try {
            const number = await this.#storage.append(entry)
            if (this.isEnded) return
            const stored = { ...entry, number }
            this.#number(stored)
            this.post({ type: "entry", entry: stored })
        } catch (error) {
            this.ledger.drop([entry], () => /** @type {Error} */ (error))
            throw error
        }
    }

    /** @param {string} reason */
    end(reason) {
        this.stream.step("end", { reason })
    }

    /** Deletes all that the disk has of this user and session. */
    async signOut() {
        await this.loaded
        this.post({ type: "signOut" })
        this.end("closed")
        await this.#storage.clear()
    }

    /** @param {string | null} token */
    setToken(token) {
        if (!this.tokens.set(token)) return this.report({ kind: "user" })
        this.stream.step("renew")
        if (this.isLeader) this.outbox.start()
        else this.post({ type: "token", token })
    }

    // ---- Begin and end

    /** @param {() => void} begun */
    async #begin(begun) {
        const { indexedDB, locks, channel, page, random, now } = this.#environment
        const { options, url } = this
        try {
            // Tabs that cannot agree on a leader must not share an outbox.
            const isOnDisk = options.storage === "indexeddb" && indexedDB && locks && channel
            const user = options.user ?? (isOnDisk ? claims(await this.tokens.get()).sub : undefined) ?? ""
            const name = ["storehouse", url, options.select ?? "", user].join(" ")
            this.#load(await (isOnDisk ? this.#open(indexedDB, name) : this.#storage.load()))
            begun()
            if (this.isEnded) return
            if (page.isHidden()) this.#turn("hidden")
            if (this.#storage instanceof MemoryStorage) return this.lead(true)
            this.#tabs = new Tabs(this.#environment, name, this)
            this.#hello()
        } catch (error) {
            // Without a token nobody knows whose outbox to open.
            this.report({ kind: "token", error })
            this.#retryAlarm.set(now() + backoff(this.#failures++, 0, random))
        }
    }

    /** @param {IDBFactory} factory @param {string} name @returns {Promise<import("./memory.js").Saved>} */
    async #open(factory, name) {
        const { id, setTimeout, clearTimeout } = this.#environment
        /** @type {any} */
        let timer
        const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("slow disk")), slow)))
        const read = async () => {
            const disk = await DiskStorage.open(factory, name, id)
            return { disk, saved: await disk.load() }
        }
        try {
            const { disk, saved } = await Promise.race([read(), /** @type {Promise<never>} */ (late)])
            this.#storage = disk
            return saved
        } catch (error) {
            this.report({ kind: "storage", error })
            return this.#storage.load()
        } finally {
            clearTimeout(timer)
        }
    }

    /** @param {import("./memory.js").Saved} saved */
    #load({ cache, ...saved }) {
        const { version } = this.options
        let confirmed = cache?.confirmed
        if (version && confirmed?.version !== version) confirmed = undefined
        if (confirmed && cache?.client !== saved.client) confirmed = { ...confirmed, mark: undefined, through: 0 }
        this.ledger.load({ ...saved, confirmed })
    }

    /** @param {ConnectionState} state */
    connected(state) {
        const { status, reason } = state
        this.#owner.connected(state)
        if (this.isLeader) this.post({})
        if (status === "unauthorized") this.outbox.stop()
        if (status === "live") this.outbox.hurry()
        if (status !== "ended") return
        this.isLeader = false
        this.outbox.stop()
        this.tokens.stop()
        this.#tabs?.close()
        this.#ignorePage()
        this.#cacheAlarm.set(Infinity)
        this.#retryAlarm.set(Infinity)
        if (reason === "session-ended" || reason === "not-found") this.#storage.clear().catch(() => {})
        this.ledger.drop(this.ledger.entries, () => ended(state))
    }

    /** @param {import("./environment.js").PageEvent} event */
    #turn(event) {
        this.stream.step(event)
        if (event === "pagehide") {
            this.#save()
            this.#tabs?.stop()
        } else if (event === "visible" && this.#tabs && !this.isLeader) {
            this.#tabs.start()
            this.#hello()
        }
        if (event !== "hidden" && event !== "offline" && event !== "pagehide") this.outbox.hurry()
    }

    // ---- Events and results

    /** @param {Event[]} events of the own stream */
    deliver(events) {
        const { id } = this.ledger.confirmed
        this.ledger.take(events)
        this.post({ type: "events", events, base: id })
        this.outbox.pump()
        if (this.#cacheAlarm.due === Infinity) this.#cacheAlarm.set(this.#environment.now() + cachePause)
    }

    /** @param {import("./ledger.js").Decisions} decisions */
    decide(decisions) {
        this.ledger.decide(decisions)
        this.post({ type: "results", decisions })
    }

    unauthorized() {
        this.stream.step("unauthorized")
    }

    /** @param {number} status */
    missing(status) {
        if (!this.options.create) this.end(status === 404 ? "not-found" : "session-ended")
    }

    /**
     * The server has no record any more.
     * @param {number} unknown entries up to this number may have been run
     */
    async forgotten(unknown) {
        const { ledger } = this
        const { unknown: policy = "drop" } = this.options
        const client = this.#environment.id()
        const dropped = ledger.queue.filter(entry => {
            if (/** @type {number} */ (entry.number) > unknown) return false
            // A value that contains the entry proves that it was decided.
            if (ledger.contains(entry)) return true
            return (typeof policy === "function" ? policy(entry.actions) : policy) !== "resend"
        })
        const isLeader = await this.#storage.renew(client, dropped.map(({ number = 0 }) => number)).catch(error => {
            this.report({ kind: "storage", error })
            return true
        })
        if (!isLeader) return this.deposed()
        ledger.rename(client)
        ledger.forget(entry => dropped.includes(entry))
        this.#share()
        this.stream.step("again")
    }

    /** @returns {Promise<boolean>} false if another tab leads by now */
    async flush() {
        const { sent, done } = this.ledger
        this.ledger.done = []
        try {
            return await this.#storage.advance(sent, done)
        } catch (error) {
            this.report({ kind: "storage", error })
            return true // a disk that fails must not stop entries that can be sent
        }
    }

    #save() {
        const { client, confirmed } = this.ledger
        if (!this.isLeader || this.isEnded || confirmed.value === undefined) return
        this.#storage.save({ client, confirmed }).catch(() => {})
    }

    // ---- Entries

    /** @param {Entry} stored an entry of this tab or another that has a number now */
    #number(stored) {
        const { ledger, isLeader } = this
        const { key, number = 0 } = stored
        const entry = ledger.find(key)
        if (entry?.number || (!entry && !isLeader && number <= ledger.last)) return
        if (isLeader && number !== ledger.last + 1) return void this.#recall(entry ?? stored)
        if (entry) entry.number = number
        else ledger.add(stored)
        ledger.last = Math.max(ledger.last, number)
        ledger.sort()
        ledger.settle()
        this.outbox.pump()
    }

    /**
     * Asks the disk about an entry that comes late: another tab may have sent it while this one or its own was frozen.
     * @param {Entry} entry
     */
    async #recall(entry) {
        await this.#reload(false, entry)
        if (!entry.number) this.ledger.forget(known => known === entry)
        this.outbox.pump()
    }

    /**
     * @param {boolean} leads whether this tab has become the leader
     * @param {Entry} [late] an entry that counts only if it has a row
     */
    async #reload(leads, late) {
        const { client } = this.ledger
        try {
            this.ledger.load(await this.#storage.load(leads), late)
            if (client !== this.ledger.client) this.stream.step("again")
        } catch (error) {
            this.report({ kind: "storage", error })
        }
    }

    // ---- Tabs

    /** @param {any} message */
    post(message) {
        this.#tabs?.post({ ...message, connection: this.isLeader && this.connection })
    }

    beat() {
        if (!this.stream.connection.isPaused) this.post({})
    }

    /** Another tab leads by now. */
    deposed() {
        this.#tabs?.yield()
    }

    /** @param {boolean} isLeader */
    async lead(isLeader) {
        this.isLeader = isLeader
        if (!isLeader) {
            this.outbox.stop()
            this.stream.step("stop")
            return this.#hello()
        }
        this.stream.step("start")
        this.post({ type: "lead", id: this.ledger.confirmed.id })
        if (this.#tabs) await this.#reload(true)
        if (this.isLeader) this.outbox.start()
    }

    /** Asks the leader for all that this tab has missed. */
    #hello() {
        this.post({ type: "hello" })
    }

    #share() {
        this.post({ type: "snapshot", saved: this.ledger.snapshot })
    }

    /** @param {any} message of another tab */
    receive({ type, connection, id, saved, events, base, decisions, entry, token }) {
        const { ledger, isLeader } = this
        if (connection && !isLeader) this.stream.adopt(connection)
        switch (type) {
            case "hello":
                if (isLeader) this.#share()
                break
            case "snapshot":
                if (!isLeader) ledger.load(saved)
                break
            case "lead":
                // The disk does not tell what a secret entry is.
                for (const entry of ledger.queue) if (entry.isSecret) this.post({ type: "entry", entry })
                if (id !== ledger.confirmed.id) this.#hello()
                break
            case "events":
                if (!isLeader) this.#follow(events, base)
                break
            case "results":
                ledger.decide(decisions)
                break
            case "entry":
                this.#number(entry)
                break
            case "token":
                if (isLeader) this.setToken(token)
                break
            case "signOut":
                this.end("closed")
        }
    }

    /** @param {Event[]} events of the leader @param {string | undefined} base the event before them */
    #follow(events, base) {
        try {
            if (base !== this.ledger.confirmed.id && events.every(({ type }) => type !== "state")) return this.#hello()
            this.ledger.take(events)
        } catch {
            this.#hello() // the leader knows a whole state
        }
    }
}
