import { Alarm } from "./alarm.js"

/** @typedef {{postMessage(message: any): void, close(): void, onmessage: ((event: any) => void) | null}} Channel */
/**
 * @typedef {object} TabsOwner
 * @property {() => void} beat tells the others that this tab leads, if it does what they need
 * @property {(isLeader: boolean) => void} lead
 * @property {(message: any) => void} receive
 */

const beat = 800
const patience = 2000

/** Makes one tab of a browser the leader: the holder of a Web Lock. */
export class Tabs {
    isLeader = false
    #environment
    #name
    #owner
    /** @type {Channel} */
    #channel
    #alarm
    #heardAt
    #turnAt
    #isStopped = false
    /** @type {AbortController | undefined} names the newest request of the lock */
    #controller
    /** @type {((value?: any) => void) | undefined} */
    #release

    /** @param {import("./environment.js").Environment} environment @param {string} name @param {TabsOwner} owner */
    constructor(environment, name, owner) {
        this.#environment = environment
        this.#name = name
        this.#owner = owner
        this.#heardAt = this.#turnAt = environment.now()
        this.#alarm = new Alarm(environment, () => this.#watch())
        this.#channel = /** @type {any} */ (environment.channel)(name)
        this.#channel.onmessage = ({ data }) => {
            this.#notice()
            if (data.connection) this.#heardAt = environment.now()
            if (!this.#isStopped) owner.receive(data)
        }
        this.#request(false)
        this.#watch()
    }

    /** Takes part again after `stop`, and hears afresh whether there is a leader. */
    start() {
        this.#heardAt = this.#environment.now()
        if (!this.#isStopped) return
        this.#isStopped = false
        this.#request(false)
        this.#watch()
    }

    /** Gives the lock away, so that another tab leads. */
    stop() {
        this.#isStopped = true
        this.#controller?.abort()
        this.#alarm.set(Infinity)
        this.#resign()
    }

    close() {
        this.stop()
        this.#channel.close()
    }

    /** @param {any} message that has a `connection` if this tab leads */
    post(message) {
        this.#channel.postMessage(message)
    }

    /** A leader that was frozen has been replaced, whether or not it has heard of it. */
    #notice() {
        const now = this.#environment.now()
        const isLate = now - this.#turnAt > patience
        this.#turnAt = now
        if (isLate) this.yield()
    }

    /** Stands in line again behind the tab that leads by now. */
    yield() {
        if (!this.isLeader) return
        this.#resign()
        this.#request(false)
    }

    #watch() {
        this.#notice()
        const now = this.#environment.now()
        if (this.isLeader) this.#owner.beat()
        else if (!this.#environment.page.isHidden() && now - this.#heardAt > patience) {
            // A frozen tab keeps its lock and does nothing.
            this.#heardAt = now
            this.#request(true)
        }
        this.#alarm.set(now + beat)
    }

    /** @param {boolean} steal */
    #request(steal) {
        this.#controller?.abort()
        const controller = (this.#controller = new AbortController())
        const isNewest = () => this.#controller === controller && !this.#isStopped
        const hold = () =>
            new Promise(release => {
                if (!isNewest()) return release(undefined)
                this.#release = release
                this.isLeader = true
                this.#turnAt = this.#environment.now()
                this.#owner.lead(true)
                this.#watch()
            })
        const options = steal ? { steal } : { signal: controller.signal }
        const locks = /** @type {LockManager} */ (this.#environment.locks)
        const lost = () => {
            if (!isNewest()) return
            this.#resign()
            this.#request(false)
        }
        locks.request(this.#name, options, hold).then(lost, lost)
    }

    #resign() {
        this.#release?.()
        if (!this.isLeader) return
        this.isLeader = false
        this.#heardAt = this.#environment.now()
        this.#owner.lead(false)
    }
}
