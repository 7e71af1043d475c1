import { createAlarm } from "./alarm.js"

/** @typedef {{postMessage(message: any): void, close(): void, onmessage: ((event: any) => void) | null}} Channel */
/**
 * @typedef {object} TabsOwner
 * @property {() => void} beat tells the others that this tab leads, if it does what they need
 * @property {(isLeader: boolean) => void} lead
 * @property {(message: any) => void} receive
 */

const beat = 800
const patience = 2000

/** @typedef {ReturnType<typeof createTabs>} Tabs */

/**
 * Makes one tab of a browser the leader: the holder of a Web Lock.
 * @param {import("./environment.js").Environment} environment @param {string} name @param {TabsOwner} owner
 */
export function createTabs(environment, name, owner) {
    const { now } = environment
    const channel = /** @type {(name: string) => Channel} */ (environment.channel)(name)
    const alarm = createAlarm(environment, watch)
    let isLeader = false
    let heardAt = now()
    let turnAt = heardAt
    let isStopped = false
    /** @type {AbortController | undefined} names the newest request of the lock */
    let newest
    /** @type {((value?: any) => void) | undefined} */
    let release

    /** Takes part again after `stop`, and hears afresh whether there is a leader. */
    function start() {
        heardAt = now()
        if (!isStopped) return
        isStopped = false
        request(false)
        watch()
    }

    /** Gives the lock away, so that another tab leads. */
    function stop() {
        isStopped = true
        newest?.abort()
        alarm(Infinity)
        resign()
    }

    /** A leader that was frozen has been replaced, whether or not it has heard of it. */
    function notice() {
        const isLate = now() - turnAt > patience
        turnAt = now()
        if (isLate) queue()
    }

    /** Stands in line again behind the tab that leads by now. */
    function queue() {
        if (!isLeader) return
        resign()
        request(false)
    }

    function watch() {
        notice()
        if (isLeader) owner.beat()
        else if (!environment.page.isHidden() && now() - heardAt > patience) {
            // A frozen tab keeps its lock and does nothing.
            heardAt = now()
            request(true)
        }
        alarm(now() + beat)
    }

    /** @param {boolean} steal */
    function request(steal) {
        newest?.abort()
        const controller = (newest = new AbortController())
        const isNewest = () => controller === newest && !isStopped
        const hold = () =>
            new Promise(resolve => {
                if (!isNewest()) return resolve(undefined)
                release = resolve
                isLeader = true
                turnAt = now()
                owner.lead(true)
                watch()
            })
        const options = steal ? { steal } : { signal: controller.signal }
        const locks = /** @type {LockManager} */ (environment.locks)
        const lost = () => {
            if (!isNewest()) return
            resign()
            request(false)
        }
        locks.request(name, options, hold).then(lost, lost)
    }

    function resign() {
        release?.()
        if (!isLeader) return
        isLeader = false
        heardAt = now()
        owner.lead(false)
    }

    channel.onmessage = ({ data }) => {
        notice()
        if (data.connection) heardAt = now()
        if (!isStopped) owner.receive(data)
    }
    request(false)
    watch()
    return {
        start,
        stop,
        queue,
        close() {
            stop()
            channel.close()
        },
        /** @param {any} message that has a `connection` if this tab leads */
        post: message => channel.postMessage(message),
    }
}
