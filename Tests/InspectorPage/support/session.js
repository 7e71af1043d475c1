import { Random } from "./random.js"

/** A session as a server has it, with what the inspector asks it for. */
export class Session {
    log = []
    states = []
    /** The requests, in words. */
    requests = []
    /** The oldest revision that is still there. */
    oldest = 0

    constructor(seed, count, initial = { tasks: {}, ids: [], trends: { added: 0 } }) {
        const random = new Random(seed)
        this.states.push(initial)
        for (let revision = 1; revision <= count; revision++) {
            const { patch, after } = random.patch(this.states[revision - 1])
            this.commit(after, patch, random)
        }
    }

    get revision() {
        return this.states.length - 1
    }

    commit(after, patch, random) {
        const revision = this.states.push(after) - 1
        const origin = random.pick(["client", "client", "effect", "middleware", "system"])
        const entry = { revision, type: random.pick(["tasks/add", "tasks/edit", "bill/pay"]), payload: random.object(2, 1), origin }
        Object.assign(entry, { cause: origin === "client" ? null : random.below(revision), patch })
        this.log.push({ ...entry, at: new Date(1.7e12 + revision * 700).toISOString() })
        return this.log.at(-1)
    }

    readPage = async ({ before = Infinity, limit }) => {
        this.requests.push(`log before ${before}`)
        const actions = this.log.filter(({ revision }) => revision < before && revision > this.oldest).reverse().slice(0, limit)
        const last = actions.at(-1)?.revision
        return { actions: actions.map(action => ({ ...action })), next: last === undefined || last === this.oldest + 1 ? null : last }
    }

    readState = async revision => {
        this.requests.push(`state ${revision}`)
        if (revision < this.oldest) throw { code: "revision-gone" }
        return structuredClone({ revision, state: this.states[revision] })
    }
}
