import { createPatcher } from "../../../../../Clients/javascript/src/patch.js"
import { between, inverse } from "./patches.js"
import { between as changesBetween, pointersOf } from "./changes.js"

/** @typedef {import("./patches.js").Operation} Operation */
/** @typedef {import("./changes.js").Change} Change */
/** @typedef {{revision: number, state: any}} Found */

const span = 200 // revisions between two kept states
const farthest = 2 * span // more patches than that take longer than a request
const [mostFrames, mostVisited] = [64, 8]

/** The states of a session. One that is near a known state is found without a request, by the patches between them. */
export class Travel {
    /** @type {Map<number, any>} states by revision from which others are found; the one used last at the end */
    #frames = new Map()
    /** @type {Map<number, any>} states that were asked for, and share nothing with others */
    #islands = new Map()
    /** @type {Map<number, any>} states that were shown last */
    #visited = new Map()
    /** @type {Map<number, Operation[]>} the way from a revision to the one before it */
    #back = new Map()
    /** @type {Map<number, Promise<any>>} requests under way */
    #requests = new Map()
    /** @type {number | undefined} the revision of the live state */
    #live
    /** @type {any} */
    #liveState
    #readState
    #entries

    /**
     * @param {(revision: number) => Promise<Found>} readState `GET …/state?revision=N`
     * @param {import("./entries.js").Entries} entries
     */
    constructor(readState, entries) {
        this.#readState = readState
        this.#entries = entries
    }

    /**
     * Keeps the live state.
     * @param {number} revision @param {any} state
     * @returns {string[] | undefined} pointers to all that has changed since the live state before; undefined if there is none
     */
    keep(revision, state) {
        const [last, before] = [this.#live, this.#liveState]
        if (last === revision && before === state) return []
        this.#live = revision
        this.#liveState = state
        if (last !== undefined && last > revision) this.#forget()
        if (revision % span === 0) this.#keepFrame(revision, state)
        if (last === undefined || last > revision) return undefined
        const isNext = last + 1 === revision
        const patch = (isNext && this.#entries.get(revision)?.patch) || between(before, state)
        if (isNext) {
            this.#entries.complete(revision, patch)
            this.#back.set(revision, inverse(before, patch))
        } else if (last < revision) this.#keepFrame(last, before) // nothing tells yet how it became this one
        return pointersOf(patch)
    }

    /**
     * The state at a revision: at once if a known one is near, else by a request, which serves its neighbours too.
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
     * The changes from one revision to another.
     * @param {number} from @param {number} to @param {number} [limit] of the changes
     * @returns {Promise<{changes: Change[], isCut: boolean}>}
     */
    async changes(from, to, limit) {
        const [before, after] = await Promise.all([this.at(from), this.at(to)])
        return changesBetween(before, after, limit)
    }

    /** @param {number} revision */
    #known(revision) {
        if (revision === this.#live) return this.#liveState
        return this.#visited.get(revision) ?? this.#frames.get(revision) ?? this.#islands.get(revision)
    }

    /** @param {number} revision @param {any} state */
    #keepFrame(revision, state) {
        keepLast(this.#frames, revision, state, mostFrames)
    }

    /** The states are of another history. */
    #forget() {
        for (const states of [this.#frames, this.#islands, this.#visited, this.#back]) states.clear()
    }

    /** @param {number} revision @returns {number | undefined} the nearest known revision from which all patches are here */
    #start(revision) {
        let [low, high] = [revision, revision]
        let [hasLow, hasHigh] = [true, true]
        while ((hasLow || hasHigh) && high <= revision + farthest) {
            if (hasLow && this.#known(low) !== undefined) return low
            if (hasHigh && this.#known(high) !== undefined) return high
            hasLow &&= this.#entries.get(low)?.patch !== undefined
            low--
            high++
            hasHigh &&= this.#back.has(high)
        }
        return undefined
    }

    /** @param {number} revision */
    #walk(revision) {
        const start = /** @type {number} */ (this.#start(revision))
        const known = this.#known(start)
        const state = start > revision ? this.#backward(known, start, revision) : this.#forward(known, start, revision)
        keepLast(this.#visited, revision, state, mostVisited)
        return state
    }

    /** @param {any} state @param {number} start @param {number} revision */
    #backward(state, start, revision) {
        let patcher = createPatcher(state)
        for (let at = start - 1; at >= revision; at--) {
            state = patcher(/** @type {Operation[]} */ (this.#back.get(at + 1)))
            if (at % span) continue
            this.#keepFrame(at, state)
            patcher = createPatcher(state)
        }
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
            const isMoving = patch.some(({ op }) => op === "move")
            // The way back contains parts of this state, which must not change at a new place.
            if (isMoving) patcher = createPatcher(state)
            if (!this.#back.has(at)) this.#back.set(at, inverse(state, patch))
            state = patcher(patch)
            if (at % span === 0) this.#keepFrame(at, state)
            if (isMoving || at % span === 0) patcher = createPatcher(state)
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
        const { state } = await this.#readState(revision)
        const shared = this.#shared(revision, state)
        if (shared) this.#keepFrame(revision, shared)
        else keepLast(this.#islands, revision, state, mostVisited)
    }

    /**
     * The state made from a known one after it, so that both share what has not changed; undefined if none is near.
     * @param {number} revision @param {any} state
     */
    #shared(revision, state) {
        for (let at = revision + 1; at <= revision + farthest && this.#entries.get(at)?.patch; at++) {
            const known = this.#known(at)
            if (known === undefined) continue
            this.#forward(state, revision, at)
            return this.#backward(known, at, revision)
        }
        return undefined
    }
}

/**
 * @template Value
 * @param {Map<number, Value>} map @param {number} key @param {Value} value @param {number} most
 */
function keepLast(map, key, value, most) {
    map.delete(key)
    map.set(key, value)
    for (const old of map.keys()) {
        if (map.size <= most) return
        map.delete(old)
    }
}
