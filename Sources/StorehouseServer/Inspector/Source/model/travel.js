import { createPatcher } from "../../../../../Clients/javascript/src/patch.js"
import { between, inverse } from "./patches.js"
import { between as changesBetween, pointersOf } from "./changes.js"

/** @typedef {import("./patches.js").Operation} Operation */
/** @typedef {import("./changes.js").Change} Change */
/** @typedef {{revision: number, state: any}} Found */

const span = 200 // revisions between two kept states
const most = 24 // kept states

/** The states of a session: any one whose way from a known state has all patches is found without a request. */
export class Travel {
    /** @type {Map<number, any>} states by revision, the one used last at the end */
    #states = new Map()
    /** @type {Map<number, Operation[]>} the way from a revision to the one before it */
    #back = new Map()
    /** @type {Map<number, Promise<any>>} requests under way */
    #requests = new Map()
    /** @type {number | undefined} the revision of the live state */
    #live
    #readState
    #entries
    #parse

    /**
     * @param {(revision: number) => Promise<Found | string>} readState `GET …/state?revision=N`: the answer, or its text
     * @param {import("./entries.js").Entries} entries
     * @param {(text: string) => any} [parse]
     */
    constructor(readState, entries, parse = JSON.parse) {
        this.#readState = readState
        this.#entries = entries
        this.#parse = parse
    }

    /**
     * Keeps the live state.
     * @param {number} revision @param {any} state
     * @returns {string[] | undefined} pointers to all that has changed since the live state before; undefined if there is none
     */
    keep(revision, state) {
        const last = this.#live
        const before = last === undefined ? undefined : this.#states.get(last)
        if (last === revision && before === state) return []
        this.#live = revision
        this.#store(revision, state)
        if (last === undefined || last > revision) return undefined
        if (last % span) this.#states.delete(last)
        const patch = (last + 1 === revision && this.#entries.get(revision)?.patch) || between(before, state)
        if (last + 1 === revision) {
            this.#entries.complete(revision, patch)
            this.#back.set(revision, inverse(before, patch))
        }
        return pointersOf(patch)
    }

    /**
     * The state at a revision. If it must be asked for, so is what its neighbours need.
     * @param {number} revision @returns {any | Promise<any>}
     */
    at(revision) {
        return this.has(revision) ? this.#walk(revision) : this.#request(revision)
    }

    /** @param {number} revision @returns {boolean} whether `at` gives the state at once */
    has(revision) {
        return this.#start(revision) !== undefined
    }

    /**
     * Loads what `at` needs, if it is not here.
     * @param {number} revision
     */
    async prepare(revision) {
        if (!this.has(revision)) await this.#request(revision)
    }

    /**
     * The changes from one revision to another.
     * @param {number} from @param {number} to @param {number} [limit] of the changes
     * @returns {Promise<{changes: Change[], isCut: boolean}>}
     */
    async changes(from, to, limit) {
        const [before, after] = await Promise.all([this.at(from), this.at(to)])
        return changesBetween(before, after, limit)
    }

    /** @param {number} revision @param {any} state */
    #store(revision, state) {
        this.#states.delete(revision)
        this.#states.set(revision, state)
        for (const old of this.#states.keys()) {
            if (this.#states.size <= most) break
            if (old !== this.#live) this.#states.delete(old)
        }
    }

    /** @param {number} revision the nearest known revision from which all patches are here */
    #start(revision) {
        if (this.#states.has(revision)) return revision
        const known = [...this.#states.keys()].sort((a, b) => Math.abs(a - revision) - Math.abs(b - revision))
        return known.find(start => {
            if (start < revision) return this.#isKnown(start, revision)
            for (let at = start; at > revision; at--) if (!this.#back.has(at)) return false
            return true
        })
    }

    /** @param {number} from @param {number} to whether all patches between them are here */
    #isKnown(from, to) {
        for (let at = from + 1; at <= to; at++) if (!this.#entries.get(at)?.patch) return false
        return true
    }

    /** @param {number} revision */
    #walk(revision) {
        const start = /** @type {number} */ (this.#start(revision))
        let state = this.#states.get(start)
        if (start > revision) {
            const patcher = createPatcher(state)
            for (let at = start; at > revision; at--) state = patcher(/** @type {Operation[]} */ (this.#back.get(at)))
        } else state = this.#forward(state, start, revision)
        this.#store(revision, state)
        return state
    }

    /**
     * Goes forward, and learns the way back.
     * @param {any} state @param {number} start @param {number} revision
     */
    #forward(state, start, revision) {
        let patcher = createPatcher(state)
        for (let at = start + 1; at <= revision; at++) {
            const patch = /** @type {Operation[]} */ (this.#entries.get(at)?.patch)
            if (!this.#back.has(at)) this.#back.set(at, inverse(state, patch))
            state = patcher(patch)
            if (at % span || at === revision) continue
            this.#store(at, state)
            patcher = createPatcher(state)
        }
        return state
    }

    /**
     * Asks for the state where the known patches before the revision begin, and goes on from there.
     * @param {number} revision @returns {Promise<any>}
     */
    async #request(revision) {
        let base = revision
        while (base > revision - span && base > 0 && this.#entries.get(base)?.patch) base--
        let request = this.#requests.get(base)
        if (!request) {
            request = this.#read(base).finally(() => this.#requests.delete(base))
            this.#requests.set(base, request)
        }
        const isGone = await request.then(() => false, problem => {
            if (base === revision || problem?.code !== "revision-gone") throw problem
            return true
        })
        if (isGone) await this.#read(revision)
        return this.at(revision)
    }

    /** @param {number} revision */
    async #read(revision) {
        const answer = await this.#readState(revision)
        const { state } = typeof answer === "string" ? this.#parse(answer) : answer
        this.#store(revision, state)
    }
}
