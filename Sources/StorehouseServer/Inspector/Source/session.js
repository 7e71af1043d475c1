import { changed } from "./app.js"
import { follow } from "./live.js"
import { Entries } from "./model/entries.js"
import { between } from "./model/patches.js"
import { Rate } from "./model/rates.js"
import { Travel } from "./model/travel.js"
import { ask, pathOf } from "./server.js"

/** @typedef {import("./model/entries.js").Entry} Entry */
/** @typedef {{state?: any, isLoading?: boolean, problem?: any}} Reading */
/** @typedef {{effect: string, phase: string, cause?: number, since: number, isOver: boolean, [member: string]: any}} Effect */

const mostEffects = 200
const mostGap = 2000 // commits that are caught up with; beyond them the log begins anew
const pollEvery = 5000

/** One session: its log, its states and its stream. It knows nothing of the page but that something has changed. */
export class Session {
    /** @param {any} document of the server */
    constructor(document) {
        this.document = document
        this.id = document.id
        /** Of a share there is the newest state only: no log, and no document. */
        this.isShare = document.id.startsWith("share/")
        this.path = this.isShare ? document.id.replace("share", "shared") : pathOf(document.id)
        /** @type {number} the newest revision whose state is here */
        this.revision = document.revision ?? 0
        /** @type {any} the newest state */
        this.state = undefined
        /** @type {import("../../../../Clients/javascript/src/connection.js").ConnectionState} */
        this.connection = { status: "connecting", isStale: true }
        this.isOver = false
        this.isClosed = false
        /** @type {Effect[]} newest first */
        this.effects = []
        /** @type {Entry[]} */
        this.refused = []
        this.present = { present: /** @type {any[]} */ ([]), anonymous: 0 }
        /** @type {Entry[]} entries from the stream whose patch has not come */
        this.waiting = []
        /** @type {any} what has gone wrong with reading the log */
        this.problem = null
        /** @type {Map<number, Reading>} */
        this.readings = new Map()
        this.rate = new Rate()
        /** @type {Set<string> | null} what has changed in the newest state since it was painted; null is all */
        this.touched = null
        /** @type {Map<number, Entry | undefined>} entries outside of the pages that are here */
        this.alone = new Map()
        /** @type {Promise<void> | undefined} */
        this.catching = undefined
        /** @type {string | undefined} what there is to say about it */
        this.notice = undefined
        /** @type {any} */
        this.flushing = undefined
        /** @type {any} */
        this.timer = undefined
        this.entries = this.log()
        this.travel = this.times()
    }

    /** Forgets all that is here. */
    begin() {
        this.entries = this.log()
        this.travel = this.times()
        this.readings.clear()
        this.alone.clear()
    }

    log() {
        const page = (/** @type {{before?: number, limit: number}} */ { before = this.revision + 1, limit }) =>
            ask("GET", `${this.path}/actions?before=${before}&limit=${limit}&changes=true`)
        return new Entries(page)
    }

    times() {
        const read = (/** @type {number} */ revision) => ask("GET", `${this.path}/state?revision=${revision}`)
        return new Travel(read, this.entries)
    }

    /** Reads the log and opens the stream. */
    open() {
        this.stream = follow(this.path, {
            value: (state, revision, patch) => this.take(state, revision, patch),
            event: event => this.hear(event),
            connected: connection => this.connect(connection),
        }, this.isShare ? {} : undefined)
        if (this.isShare) return
        this.older()
        this.timer = setInterval(() => document.hidden || this.isOver || this.poll(), pollEvery)
    }

    close() {
        this.isClosed = true
        this.stream?.close()
        clearInterval(this.timer)
        clearTimeout(this.flushing)
    }

    /** Loads a page of older actions. */
    async older() {
        if (this.entries.isWhole || this.isOver || this.isShare) return
        try {
            await this.entries.older()
            this.problem = null
            this.catchUp()
        } catch (problem) {
            this.problem = problem
        }
        this.tell("log", "state")
    }

    /**
     * Loads all of the log that the server still has, or what is newer than a revision.
     * @param {(size: number) => void} told @param {number} [from]
     */
    async whole(told, from = 1) {
        const { entries } = this
        while (!this.isOver && !entries.isWhole && entries.oldest > from && await entries.older()) told(entries.size)
        this.tell("log")
    }

    /** @param {...import("./app.js").Topic} topics */
    tell(...topics) {
        if (!this.isClosed) changed(...topics)
    }

    /** @param {any} state @param {number} revision @param {any[]} [patch] from the revision before */
    take(state, revision, patch) {
        // Of a gap this long, or of another history, nothing is joined to what is here.
        if (revision > this.entries.newest + mostGap && this.entries.size || revision < this.revision && this.state) this.begin()
        this.rate.add(Date.now(), this.state === undefined ? 0 : revision - this.revision)
        if (this.isShare && this.state !== undefined && revision > this.revision) {
            this.travel.keep(revision - 1, this.state) // until then nothing has changed what the share shows
            this.entries.add({ revision, type: "changed", at: new Date().toISOString(), patch: between(this.state, state) })
        }
        this.state = state
        this.revision = revision
        const waiting = this.waiting.splice(0)
        if (patch) for (const entry of waiting) if (entry.revision === revision) this.entries.add({ ...entry, patch })
        const touched = this.travel.keep(revision, state)
        if (!touched || !this.touched) this.touched = null
        else for (const pointer of touched) this.touched.add(pointer)
        // Before the first page has come, it will bring all of this.
        if (this.entries.size || this.entries.isWhole) this.catchUp()
        this.tell("state", "log")
    }

    /** Reads what the stream has told in one piece, or without its patches. */
    catchUp() {
        if (this.entries.newest >= this.revision || this.isShare) return
        this.catching ??= (async () => {
            try {
                while (!this.isClosed && this.entries.newest < this.revision) {
                    const goal = this.revision
                    await this.entries.catchUp(goal)
                    if (this.entries.newest < goal) break // the log has been cut
                }
            } catch (problem) {
                this.problem = problem
            }
            this.catching = undefined
            this.tell("log", "state")
        })()
    }

    /** @param {{type: string, data: any}} event */
    hear({ type, data }) {
        if (type === "action") {
            this.waiting.push(data)
            this.flushing ??= setTimeout(() => this.flush(), 200)
        } else if (type === "effect") this.noteEffect(data)
        else if (type === "presence") this.notePresence(data)
    }

    /** An action that changed nothing is followed by no state. */
    async flush() {
        this.flushing = undefined
        const newest = Math.max(0, ...this.waiting.splice(0).map(entry => entry.revision))
        if (newest <= this.revision) return
        await this.entries.catchUp(newest).catch(problem => (this.problem = problem))
        const isSame = this.entries.get(newest)?.patch?.length === 0
        if (newest === this.revision + 1 && isSame && this.state !== undefined) {
            this.revision = newest
            this.travel.keep(newest, this.state)
        }
        this.tell("log", "state")
    }

    /** @param {any} event */
    noteEffect(event) {
        const isSame = (/** @type {Effect} */ other) =>
            !other.isOver && other.effect === event.effect && (other.cause ?? event.cause) === event.cause
        const known = this.effects.find(isSame)
        const isOver = ["succeeded", "failed", "cancelled"].includes(event.phase)
        if (known) Object.assign(known, event, { isOver })
        else this.effects.unshift({ since: Date.now(), ...event, isOver })
        this.effects.length = Math.min(this.effects.length, mostEffects)
        this.tell("effects")
    }

    /** @param {any} data */
    notePresence(data) {
        const name = (/** @type {any} */ { actor }) => actor.kind + actor.id
        const left = new Set((data.left ?? []).map(name))
        const present = data.present ?? [...this.present.present.filter(one => !left.has(name(one))), ...(data.joined ?? [])]
        this.present = { present, anonymous: data.anonymous }
        this.tell("people")
    }

    /** @param {Session["connection"]} connection */
    connect(connection) {
        if (this.isClosed) return
        this.connection = connection
        if (connection.status === "live" && !this.isShare) this.poll()
        if (connection.status === "ended") {
            this.isOver = true
            clearInterval(this.timer)
        }
        this.tell("connection", "log")
    }

    /** Reads what the stream does not tell: size, streams, end, and refused actions. */
    async poll() {
        const [found, refused] = await Promise.allSettled([
            ask("GET", this.path), ask("GET", this.path + "/actions?refused=true"),
        ])
        if (found.status === "fulfilled") {
            this.document = found.value
            for (const effect of this.document.effects)
                if (!this.effects.some(known => known.effect === effect && !known.isOver)) this.noteEffect({ effect, phase: "running" })
            this.tell("document")
        }
        if (refused.status === "fulfilled") this.noteRefused(refused.value.actions)
    }

    /** @param {Entry[]} actions */
    noteRefused(actions) {
        if (actions.length === this.refused.length && actions[0]?.at === this.refused[0]?.at) return
        this.refused = actions
        this.entries.setRefused(actions)
        this.tell("refused", "log")
    }

    /**
     * The entry of a revision, which is asked for alone where its page is not here.
     * @param {number} revision @returns {Entry | undefined}
     */
    entryAt(revision) {
        const known = this.entries.get(revision) ?? this.alone.get(revision)
        if (known || this.alone.has(revision) || revision < 1 || revision > this.revision || this.isOver || this.isShare) return known
        if (!this.entries.size || revision > this.entries.oldest) return undefined
        this.alone.set(revision, undefined)
        ask("GET", `${this.path}/actions?before=${revision + 1}&limit=1&changes=true`).then(({ actions: [entry] }) => {
            if (entry?.revision !== revision) return
            this.alone.set(revision, entry)
            this.tell("log", "state")
        }, problem => (this.problem = problem))
        return undefined
    }

    /**
     * The state of a revision, at once where it is at hand.
     * @param {number} revision @returns {Reading}
     */
    stateAt(revision) {
        if (revision === this.revision && this.state !== undefined) return { state: this.state }
        const known = this.readings.get(revision)
        if (known) return known
        if (revision < 0 || this.isShare && !this.travel.has(revision)) return { state: undefined }
        const found = this.travel.at(revision)
        if (!(found instanceof Promise)) return { state: found }
        /** @type {Reading} */
        const reading = { isLoading: true }
        this.readings.set(revision, reading)
        const done = (/** @type {Reading} */ result) => {
            Object.assign(reading, { isLoading: false }, result)
            if (this.readings.size > 20) this.readings.delete(/** @type {number} */ (this.readings.keys().next().value))
            this.tell("state")
        }
        found.then(state => done({ state }), problem => done({ problem }))
        return reading
    }
}
