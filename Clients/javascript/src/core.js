import { claims, createAccess } from "./access.js"
import { createAlarm } from "./alarm.js"
import { backoff } from "./backoff.js"
import { finalReason } from "./connection.js"
import { openDisk } from "./disk.js"
import { Ledger } from "./ledger.js"
import { createMemory } from "./memory.js"
import { createOutbox } from "./outbox.js"
import { ended } from "./problem.js"
import { createStream } from "./stream.js"
import { createTabs } from "./tabs.js"

/** @typedef {import("./replay.js").Entry} Entry */
/** @typedef {import("./replay.js").Event} Event */
/** @typedef {import("./connection.js").ConnectionState} ConnectionState */
/** @typedef {import("./environment.js").Environment} Environment */
/** @typedef {import("./ledger.js").LedgerOwner & {connected: (state: ConnectionState) => void}} Owner */

const slow = 2000 // a disk that takes longer is not used
const cachePause = 1000

/**
 * Joins stream, outbox, ledger, disk and tabs. The tab that leads passes on all that it learns.
 * @param {string} url @param {import("./options.js").Options} options
 * @param {Environment} environment @param {Owner} owner
 */
export function createCore(url, options, environment, owner) {
    const { now, random, id, page } = environment
    const { report } = owner
    const ledger = new Ledger(options, owner)
    const access = createAccess(url, options.token && askForToken, environment)
    const shared = { options, access, ledger, report }
    const stream = createStream(environment, { ...shared, connected, deliver })
    const outbox = createOutbox(environment, { ...shared, flush, deposed, decide, forgotten, missing, unauthorized })
    /** @type {import("./memory.js").Storage} */
    let storage = createMemory(id())
    /** @type {import("./tabs.js").Tabs | undefined} */
    let tabs
    let isLeader = false
    let isSaved = true
    let failures = 0
    const connection = () => stream.connection.state
    const isEnded = () => connection().status === "ended"
    const saveAlarm = createAlarm(environment, save)
    const retryAlarm = createAlarm(environment, begin)
    const ignorePage = page.listen(turn)
    /** @type {(value?: any) => void} */
    let begun
    /** Settles when the outbox is loaded, so that entries can be numbered. */
    const loaded = new Promise(resolve => (begun = resolve))
    begin()

    // ---- Begin and end

    async function begin() {
        const { indexedDB, locks, channel } = environment
        try {
            // Tabs that cannot agree on a leader must not share an outbox.
            const isOnDisk = options.storage === "indexeddb" && indexedDB && locks && channel
            const user = options.user ?? (isOnDisk ? claims(await access.get()).sub : undefined) ?? ""
            const name = ["storehouse", url, options.select ?? "", user].join(" ")
            const disk = isOnDisk && (await open(indexedDB, name))
            if (disk) storage = disk.storage
            load(disk ? disk.saved : await storage.load())
            begun()
            if (isEnded()) return
            if (page.isHidden()) turn("hidden")
            if (!disk) return lead(true)
            tabs = createTabs(environment, name, { beat, lead, receive })
            hello()
        } catch {
            // Without a token nobody knows whose outbox to open.
            retryAlarm(now() + backoff(failures++, 0, random))
        }
    }

    /** @type {import("./access.js").TokenSource} */
    async function askForToken(reason) {
        try {
            return await options.token?.(reason)
        } catch (error) {
            report({ kind: "token", error })
            throw error
        }
    }

    /** @param {IDBFactory} factory @param {string} name */
    async function open(factory, name) {
        /** @type {() => void} */
        let giveUp = () => {}
        const late = new Promise((_, reject) => (giveUp = () => reject(new Error("slow disk"))))
        const alarm = createAlarm(environment, giveUp)
        alarm(now() + slow)
        const read = async () => {
            const disk = await openDisk(factory, name, id)
            return { storage: disk, saved: await disk.load() }
        }
        try {
            return await Promise.race([read(), /** @type {Promise<never>} */ (late)])
        } catch (error) {
            report({ kind: "storage", error })
        } finally {
            alarm(Infinity)
        }
    }

    /** @param {import("./memory.js").Saved} saved */
    function load({ cache, ...saved }) {
        let confirmed = cache?.confirmed
        if (options.version && confirmed?.version !== options.version) confirmed = undefined
        if (confirmed && cache?.client !== saved.client) confirmed = { ...confirmed, mark: undefined, through: 0 }
        ledger.load({ ...saved, confirmed })
    }

    /** @param {ConnectionState} state */
    function connected(state) {
        const { status, reason } = state
        owner.connected(state)
        beat()
        if (status === "unauthorized") outbox.stop()
        if (status === "live") outbox.hurry()
        if (status !== "ended") return
        isLeader = false
        outbox.stop()
        access.stop()
        tabs?.close()
        ignorePage()
        saveAlarm(Infinity)
        retryAlarm(Infinity)
        if (reason === "session-ended" || reason === "not-found") storage.clear().catch(() => {})
        ledger.settle(false, ledger.entries, () => ended(state))
    }

    /** @param {string} [reason] */
    function end(reason) {
        stream.step("end", { reason })
    }

    /** @param {import("./environment.js").PageEvent} event */
    function turn(event) {
        if (event === "freeze") {
            tabs?.stop()
            return storage.pause()
        }
        if (event === "resume") storage.resume()
        stream.step(event === "resume" ? "poke" : event)
        if (event === "pagehide") {
            save()
            tabs?.stop()
        } else if ((event === "visible" || event === "resume") && tabs && !isLeader) {
            tabs.start()
            hello()
        }
        if (!["hidden", "offline", "pagehide"].includes(event)) outbox.hurry()
    }

    function save() {
        const { client, confirmed } = ledger
        isSaved = true
        if (!isLeader || isEnded() || confirmed.value === undefined) return
        storage.save({ client, confirmed }).catch(() => {})
    }

    // ---- Events and results

    /** @param {Event[]} events of the own stream */
    function deliver(events) {
        const base = ledger.confirmed.id
        ledger.take(events)
        post({ type: "events", events, base })
        outbox.pump()
        if (isSaved) saveAlarm(now() + cachePause)
        isSaved = false
    }

    /** @param {import("./ledger.js").Decisions} decisions */
    function decide(decisions) {
        ledger.decide(decisions)
        post({ type: "results", decisions })
    }

    function unauthorized() {
        stream.step("unauthorized")
    }

    /** @param {number} status */
    function missing(status) {
        if (!options.create) end(finalReason(status))
    }

    /**
     * The server has no record any more.
     * @param {number} unknown entries up to this number may have been run
     */
    async function forgotten(unknown) {
        const { unknown: policy = "drop" } = options
        const client = id()
        const dropped = ledger.queue.filter(entry => {
            if (entry.number > unknown) return false
            // A value that contains the entry proves that it was decided.
            if (ledger.contains(entry)) return true
            return (typeof policy === "function" ? policy(entry.actions) : policy) !== "resend"
        })
        if (!(await advance(0, [], client, dropped.map(({ number }) => number)))) return deposed()
        ledger.rename(client)
        ledger.forget(dropped)
        share()
        stream.step("again")
    }

    /** @returns {Promise<boolean>} false if another tab leads by now */
    function flush() {
        const { sent, done, client } = ledger
        ledger.done = []
        return advance(sent, done, client)
    }

    /** @type {import("./memory.js").Storage["advance"]} */
    async function advance(...members) {
        try {
            return await storage.advance(...members)
        } catch (error) {
            report({ kind: "storage", error })
            return true // a disk that fails must not stop entries that can be sent
        }
    }

    // ---- Entries

    /** @param {import("./replay.js").Numbered} stored an entry of this tab or another that has a number now */
    function take(stored) {
        const { key, number } = stored
        const entry = ledger.find(key)
        if (entry?.number || (!entry && !isLeader && number <= ledger.last)) return
        if (isLeader && number !== ledger.last + 1) return void recall(entry ?? stored)
        if (entry) entry.number = number
        else ledger.add(stored)
        ledger.last = Math.max(ledger.last, number)
        ledger.sort()
        ledger.settle()
        queueMicrotask(outbox.pump) // behind all entries of this turn, which go in one request
    }

    /**
     * Asks the disk about an entry that comes late: another tab may have sent it while this one or its own was frozen.
     * @param {Entry} entry
     */
    async function recall(entry) {
        await reload(false, entry)
        if (!entry.number) ledger.forget([entry])
        outbox.pump()
    }

    /**
     * @param {boolean} leads whether this tab has become the leader
     * @param {Entry} [late] an entry that counts only if it has a row
     */
    async function reload(leads, late) {
        const { client } = ledger
        try {
            ledger.load(await storage.load(leads), late)
            if (client !== ledger.client) stream.step("again")
        } catch (error) {
            report({ kind: "storage", error })
        }
    }

    // ---- Tabs

    /** @param {any} message */
    function post(message) {
        tabs?.post({ ...message, connection: isLeader && connection() })
    }

    /** Tells the other tabs that this one leads, if it does what they need. */
    function beat() {
        if (isLeader && !stream.connection.isPaused()) post({})
    }

    /** Another tab leads by now. */
    function deposed() {
        tabs?.queue()
    }

    /** @param {boolean} leads */
    async function lead(leads) {
        isLeader = leads
        if (!leads) {
            outbox.stop()
            stream.step("stop")
            return hello()
        }
        stream.step("start")
        post({ type: "lead", id: ledger.confirmed.id })
        if (tabs) await reload(true)
        if (isLeader) outbox.start()
    }

    /** Asks the leader for all that this tab has missed. */
    function hello() {
        post({ type: "hello" })
    }

    function share() {
        post({ type: "snapshot", saved: ledger.snapshot })
    }

    /** @param {any} message of another tab */
    function receive(message) {
        if (message.connection && !isLeader) stream.adopt(message.connection)
        receivers[message.type]?.(message)
    }

    /** @type {Record<string, (message: any) => void>} */
    const receivers = {
        hello: () => isLeader && share(),
        snapshot: ({ saved }) => isLeader || ledger.load(saved),
        lead(message) {
            // The disk does not tell what a secret entry is.
            for (const entry of ledger.queue) if (entry.isSecret) post({ type: "entry", entry })
            if (message.id !== ledger.confirmed.id) hello()
        },
        events({ events, base }) {
            if (isLeader) return
            const isWhole = events.some((/** @type {Event} */ { type }) => type === "state")
            if (!isWhole && base !== ledger.confirmed.id) return hello()
            try {
                ledger.take(events)
            } catch {
                hello() // the leader knows a whole state
            }
        },
        results: ({ decisions }) => ledger.decide(decisions),
        entry: ({ entry }) => take(entry),
        token: ({ token }) => isLeader && setToken(token),
        signOut: () => end("closed"),
    }

    /** @param {string | null} token */
    function setToken(token) {
        if (!access.set(token)) return report({ kind: "user" })
        stream.step("renew")
        if (isLeader) outbox.start()
        else post({ type: "token", token })
    }

    return {
        ledger,
        get connection() {
            return connection()
        },
        end,
        setToken,

        /** @param {Entry} entry whose replay is shown already */
        async append(entry) {
            await loaded
            if (isEnded()) throw ended(connection())
            try {
                const stored = { ...entry, number: await storage.append(entry) }
                if (isEnded()) return
                take(stored)
                post({ type: "entry", entry: stored })
            } catch (error) {
                ledger.settle(false, [entry], () => /** @type {Error} */ (error))
                throw error
            }
        },

        /** Deletes all that the disk has of this user and session. */
        async signOut() {
            await loaded
            post({ type: "signOut" })
            end("closed")
            await storage.clear()
        },
    }
}
