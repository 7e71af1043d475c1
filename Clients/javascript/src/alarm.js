/** @typedef {{now(): number, setTimeout(run: () => void, delay: number): any, clearTimeout(timer: any): void}} Clock */
/** @typedef {(due: number) => void} Alarm sets the time of the clock at which something is run; Infinity for never */

const longest = 2 ** 31 - 1 // of setTimeout

/**
 * Runs a function at a time that may be moved, with at most one timer.
 * @param {Clock} clock @param {() => void} run
 * @returns {Alarm}
 */
export function createAlarm(clock, run) {
    const { now, setTimeout, clearTimeout } = clock // functions of a browser must not be called as methods
    let due = Infinity
    /** @type {any} */
    let timer

    function wait() {
        const delay = Math.min(longest, Math.max(0, due - now()))
        timer = setTimeout(() => {
            // A timer may fire early, or stand for a later time than it can hold.
            if (now() < due) return wait()
            due = Infinity
            run()
        }, delay)
    }

    return time => {
        if (time === due) return
        due = time
        clearTimeout(timer)
        if (due < Infinity) wait()
    }
}
