import { Alarm } from "./alarm.js"
import { backoff } from "./backoff.js"
import { DiskStorage } from "./disk.js"
import { Ledger } from "./ledger.js"
import { MemoryStorage } from "./memory.js"
import { Outbox } from "./outbox.js"
import { Sharing } from "./sharing.js"
import { Stream } from "./stream.js"
import { Tabs } from "./tabs.js"
import { claims, Tokens } from "./tokens.js"

/** @typedef {import("./replay.js").Entry} Entry */
/** @typedef {import("./replay.js").Event} Event */
/** @typedef {import("./replay.js").Result} Result */
/** @typedef {import("./sender.js").Numbered} Numbered */
/** @typedef {import("./environment.js").Environment} Environment */
/**
 * @typedef {object} Owner the public face of a core
 * @property {(isSoon?: boolean) => void} changed the shown state or the pending entries; soon, if a frame may pass
 * @property {(entry: Entry, result: Result) => void} done
 * @property {(entry: Entry, error: Error | undefined) => void} lost an entry has no result; `error` is from the disk
 * @property {(state: import("./connection.js").ConnectionState) => void} connected
 * @property {(event: Event) => void} heard an event that is no value
 * @property {(report: {kind: string, [member: string]: any}) => void} report
 */

const slow = 2000 // a disk that takes longer is not used
const cachePause = 1000

/** Joins stream, outbox, replay, disk and tabs. */
export class Core {
    ledger
    replay
    /** @type {Stream} */
    stream
    /** @type {Outbox} */
    outbox
    tokens
    url
    options
    /** Settles when the outbox is loaded, so that entries can be numbered. */
    loaded
    #environment
    #owner
    #sharing
    /** @type {import("./memory.js").Storage} */
    #storage
    /** @type {Tabs | undefined} */
    #tabs
    isLeader = false
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
        this.#environment = environment
        this.#owner = owner
        this.ledger = new Ledger(options, () => this.outbox, owner)
        this.replay = this.ledger.replay
        this.#sharing = new Sharing(this, this.ledger, environment.id())
        this.tokens = new Tokens(options.token, environment)
        this.#storage = new MemoryStorage(environment.id())
        this.#cacheAlarm = new Alarm(environment, () => this.#save())
        const failed = (/** @type {unknown} */ error) => owner.report({ kind: "storage", error })
        const shared = { url, tokens: this.tokens, failed }
        const isQueued = (/** @type {Entry} */ { number, result }) => number && !result
        this.outbox = new Outbox(environment, {
            ...shared,
            queue: () => /** @type {Numbered[]} */ (this.replay.entries.filter(isQueued)),
            take: verdict => this.#judge(verdict),
            unauthorized: () => this.stream.step("unauthorized"),
            deposed: () => this.#tabs?.yield(),
        }, this.#storage)
        this.stream = new Stream(environment, {
            ...shared,
            create: options.create,
            position: () => this.#position(),
            deliver: events => this.#deliver(events),
            knowsReady: () => this.replay.confirmed.history !== undefined,
            lacksReady: () => owner.report({ kind: "old", lacks: "ready" }),
            mayContain: () => this.replay.entries.some(entry => entry.number && !this.replay.contains(entry)),
            changed: state => this.#connected(state),
            failed: error => {
                this.replay.confirmed = { ...this.replay.confirmed, id: undefined }
                owner.report({ kind: "patch", error })
            },
        })
        this.#ignorePage = environment.page.listen(event => this.#turn(event))
        /** @type {() => void} */
        let begun = () => {}
        this.loaded = new Promise(resolve => (begun = () => resolve(undefined)))
        this.#retryAlarm = new Alarm(environment, () => this.#begin(begun))
        this.#begin(begun)
    }

    get isEnded() {
        return this.stream.connection.state.status === "ended"
    }

    /** @param {Entry} entry whose replay is shown already */
    async append(entry) {
        await this.loaded
        if (this.isEnded) throw new Error("the connection has ended")
        try {
            this.number(entry, await this.#storage.append(entry))
            this.post({ type: "number", key: entry.key, number: entry.number })
        } catch (error) {
            this.post({ type: "drop", key: entry.key })
            this.ledger.drop([entry], /** @type {Error} */ (error))
            throw error
        }
    }

    /** @param {Entry} entry */
    announce(entry) {
        this.ledger.own.add(entry.key)
        this.post({ type: "entry", entry: { ...entry } })
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
        if (!this.tokens.set(token)) return this.#owner.report({ kind: "user" })
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
            if (isOnDisk) await this.#useDisk(indexedDB, name)
            else this.#load(await this.#storage.load())
            begun()
            if (this.isEnded) return
            if (page.isHidden()) this.#turn("hidden")
            if (this.#storage instanceof MemoryStorage) return this.#lead(true)
            this.#tabs = new Tabs(this.#environment, name, {
                isVisible: () => !page.isHidden(),
                beat: () => !this.stream.connection.isPaused && this.stream.connection.state,
                lead: isLeader => void this.#lead(isLeader),
                receive: message => this.#sharing.receive(message),
            })
            this.#sharing.hello()
        } catch (error) {
            // Without a token nobody knows whose outbox to open.
            this.#owner.report({ kind: "token", error })
            this.#retryAlarm.set(now() + backoff(this.#failures++, 0, random))
        }
    }

    /** @param {IDBFactory} factory @param {string} name */
    async #useDisk(factory, name) {
        const clock = this.#environment
        /** @type {any} */
        let timer
        const late = new Promise((_, reject) => (timer = clock.setTimeout(() => reject(new Error("slow disk")), slow)))
        const read = async () => {
            const disk = await DiskStorage.open(factory, name, clock.id)
            const saved = await disk.load()
            this.#storage = this.outbox.storage = disk
            return saved
        }
        const saved = await Promise.race([read(), late]).catch(error => {
            this.#owner.report({ kind: "storage", error })
            return (this.#storage = this.outbox.storage = new MemoryStorage(clock.id())).load()
        })
        clock.clearTimeout(timer)
        const { cache, client } = saved
        if (cache && (!this.options.version || cache.version === this.options.version)) {
            const isOwn = cache.client === client
            this.replay.confirm(isOwn ? cache.confirmed : { ...cache.confirmed, mark: undefined, through: 0 })
        }
        this.#load(saved)
    }

    /** @param {import("./memory.js").Saved} saved @param {Entry} [late] */
    #load({ client, last, sent, rows }, late) {
        const { replay, outbox } = this
        const { sender } = outbox
        if (outbox.client && outbox.client !== client) this.ledger.rename(client, [])
        outbox.client = client
        outbox.last = Math.max(outbox.last, last)
        sender.sent = Math.max(sent, sender.sent)
        sender.isTold ||= sender.sent > 0 || !!replay.confirmed.mark
        const known = new Map(replay.entries.map(entry => [entry.key, entry]))
        for (const row of rows) {
            const entry = known.get(row.key)
            if (entry) entry.number = row.number
            else if (late?.key === row.key) replay.add({ ...late, number: row.number })
            else if (!row.isSecret && !outbox.done.includes(/** @type {number} */ (row.number))) replay.add(row)
        }
        replay.sort()
        this.ledger.settle()
        if (this.#storage instanceof MemoryStorage) return
        // Another tab has sent an entry whose row is gone, and this one missed the outcome while it was frozen.
        const keys = new Set(rows.map(({ key }) => key))
        this.ledger.forget(({ key, number, result }) => !result && number && number <= last && !keys.has(key))
    }

    /** @param {boolean} isLeader */
    async #lead(isLeader) {
        this.isLeader = isLeader
        if (!isLeader) {
            this.outbox.stop()
            this.stream.step("stop")
            return this.#sharing.hello()
        }
        this.stream.step("start")
        this.post({ type: "lead", id: this.replay.confirmed.id })
        await this.#reload(true)
        if (this.isLeader) this.outbox.start()
    }

    /**
     * @param {boolean} leads whether this tab has become the leader
     * @param {Entry} [late] an entry that counts only if it has a row
     */
    async #reload(leads, late) {
        const { client } = this.outbox
        try {
            this.#load(await this.#storage.load(leads), late)
            if (client !== this.outbox.client) this.stream.step("again")
        } catch (error) {
            this.#owner.report({ kind: "storage", error })
        }
    }

    /** @param {import("./connection.js").ConnectionState} state */
    #connected(state) {
        this.#owner.connected(state)
        if (this.isLeader) this.post({ type: "connection", state })
        if (state.status === "unauthorized") this.outbox.stop()
        if (state.status === "live") this.outbox.hurry()
        if (state.status !== "ended") return
        this.isLeader = false
        this.outbox.stop()
        this.tokens.stop()
        this.#tabs?.close()
        this.#ignorePage()
        this.#cacheAlarm.set(Infinity)
        this.#retryAlarm.set(Infinity)
        if (state.reason === "session-ended" || state.reason === "not-found") this.#storage.clear().catch(() => {})
        this.ledger.drop(this.replay.entries)
    }

    /** @param {import("./environment.js").PageEvent} event */
    #turn(event) {
        this.stream.step(event)
        if (event === "pagehide") {
            this.#save()
            this.#tabs?.stop()
        } else if (event === "visible" && this.#tabs && !this.isLeader) {
            this.#tabs.start()
            this.#sharing.hello()
        }
        if (event !== "hidden" && event !== "offline" && event !== "pagehide") this.outbox.hurry()
    }

    // ---- Events and results

    #position() {
        const { select, effects, presence, signals } = this.options
        const { id, value } = this.replay.confirmed
        return {
            query: { select, changes: "patch", sync: this.outbox.client, effects, presence, signals },
            id: value === undefined ? undefined : id,
        }
    }

    /** @param {Event[]} events of the own stream */
    #deliver(events) {
        const { confirmed } = this.replay
        const ready = events.find(({ type }) => type === "ready")?.data
        const isOther = ready && confirmed.version && ready.version !== confirmed.version
        if (isOther && !events.some(({ type }) => type === "state")) {
            // A kind of another version may have another form, which patches of the old one do not bring.
            this.replay.confirm({ ...confirmed, value: undefined, id: undefined, version: undefined })
            throw new Error("the kind has another version")
        }
        if (ready) this.outbox.room = ready.maxBody ?? this.outbox.room
        this.ledger.apply(events)
        this.post({ type: "events", events, base: confirmed.id, room: this.outbox.room })
        if (this.#cacheAlarm.due === Infinity) this.#cacheAlarm.set(this.#environment.now() + cachePause)
    }

    /** @param {import("./sender.js").Verdict} verdict */
    async #judge({ results = [], record, unknown, refused, gone, isPlain }) {
        // What was committed then was lost with its history.
        if (this.replay.isGone(record?.history)) return this.outbox.sender.repeat(this.#environment.now())
        if (isPlain) this.ledger.lackSync()
        if (record?.mark && !this.replay.confirmed.mark) {
            this.replay.confirmed = { ...this.replay.confirmed, mark: record.mark }
            this.post({ type: "mark", mark: record.mark })
        }
        if (refused) {
            const queue = this.replay.entries.filter(({ number, result }) => number && !result)
            results = queue.map(({ number = 0 }) => ({ n: number, outcome: "refused", revision: 0, problem: refused }))
        }
        if (results.length || record) {
            this.ledger.decide(results, record?.history)
            this.post({ type: "results", results, history: record?.history })
        }
        if (unknown !== undefined) await this.#renew(unknown)
        if (gone && !this.options.create) this.end(gone === 404 ? "not-found" : "session-ended")
    }

    /**
     * The server has no record any more.
     * @param {number} unknown entries up to this number may have been run
     */
    async #renew(unknown) {
        const { unknown: policy = "drop" } = this.options
        const client = this.#environment.id()
        const doubtful = this.replay.entries.filter(({ number = Infinity, result }) => number <= unknown && !result)
        const dropped = doubtful.filter(entry => {
            // A value that contains the entry proves that it was decided.
            if (this.replay.contains(entry)) return true
            return (typeof policy === "function" ? policy(entry.actions) : policy) !== "resend"
        })
        const isLeader = await this.#storage.renew(client, dropped.map(({ number = 0 }) => number)).catch(error => {
            this.#owner.report({ kind: "storage", error })
            return true
        })
        if (!isLeader) return this.#tabs?.yield()
        this.ledger.rename(client, dropped.map(({ key }) => key))
        this.post({ type: "client", client, dropped: dropped.map(({ key }) => key) })
        this.stream.step("again")
    }

    /** @param {Entry | undefined} entry @param {number} number */
    number(entry, number) {
        if (this.isEnded) return
        const { outbox, replay } = this
        const isNext = !this.isLeader || (entry && number === outbox.last + 1)
        if (entry && isNext) {
            entry.number = number
            if (!replay.entries.includes(entry)) replay.add(entry)
            replay.sort()
            this.ledger.settle()
        }
        if (isNext || entry?.number === number) {
            outbox.last = Math.max(outbox.last, number)
            outbox.pump()
        } else this.recall(entry)
    }

    /**
     * Asks the disk about an entry that comes late: another tab may have sent it while this one or its own was frozen.
     * @param {Entry | undefined} entry
     */
    async recall(entry) {
        await this.#reload(false, entry)
        if (entry && !entry.number) this.ledger.forget(known => known === entry)
        this.outbox.pump()
    }

    #save() {
        const { confirmed } = this.replay
        if (!this.isLeader || !this.ledger.hasEvents || this.isEnded) return
        const { client } = this.outbox
        this.#storage.save({ client, version: confirmed.version, confirmed }).catch(() => {})
    }

    // ---- Tabs

    /** @param {any} message */
    post(message) {
        this.#tabs?.post(message)
    }
}
