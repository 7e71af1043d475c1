/** @typedef {{now(): number, setTimeout(run: () => void, delay: number): any, clearTimeout(timer: any): void}} Clock */

const longest = 2 ** 31 - 1 // of setTimeout

/** Runs one function at a time that may be moved, with at most one timer. */
export class Alarm {
    #clock
    #run
    due = Infinity
    /** @type {any} */
    #timer

    /** @param {Clock} clock @param {() => void} run */
    constructor(clock, run) {
        this.#clock = clock
        this.#run = run
    }

    /** @param {number} due a time of the clock; Infinity for never */
    set(due) {
        if (due === this.due) return
        this.due = due
        this.#clock.clearTimeout(this.#timer)
        if (due < Infinity) this.#wait()
    }

    #wait() {
        const delay = Math.min(longest, Math.max(0, this.due - this.#clock.now()))
        this.#timer = this.#clock.setTimeout(() => {
            // A timer may fire early, or stand for a later time than it can hold.
            if (this.#clock.now() < this.due) return this.#wait()
            this.due = Infinity
            this.#run()
        }, delay)
    }
}
