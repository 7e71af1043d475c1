/** Time that passes only when a test says so. */
export class Clock {
    time = 1_700_000_000_000
    #timers = new Map()
    #next = 1

    now = () => this.time
    wall = () => this.time

    setTimeout = (run, delay) => {
        const id = this.#next++
        this.#timers.set(id, { at: this.time + Math.max(0, delay), id, run })
        return id
    }

    clearTimeout = id => void this.#timers.delete(id)

    get timers() {
        return this.#timers.size
    }

    /** Runs all timers of the next milliseconds, each at its time. */
    async advance(milliseconds) {
        const end = this.time + milliseconds
        await settle()
        for (;;) {
            let next
            for (const timer of this.#timers.values()) {
                if (timer.at <= end && (!next || timer.at < next.at || (timer.at === next.at && timer.id < next.id))) next = timer
            }
            if (!next) break
            this.#timers.delete(next.id)
            this.time = Math.max(this.time, next.at)
            next.run()
            await settle()
        }
        this.time = end
    }

    /** Time passes, but no timer runs, as in a frozen page. */
    freeze(milliseconds) {
        this.time += milliseconds
    }
}

/** Lets all promises run whose values are there. */
export const settle = () => new Promise(resolve => setImmediate(resolve))

/** Numbers that look random and are the same for the same seed (mulberry32). */
export function seeded(seed) {
    let state = seed >>> 0
    return () => {
        state = (state + 0x6d2b79f5) >>> 0
        let mixed = Math.imul(state ^ (state >>> 15), state | 1)
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
    }
}
