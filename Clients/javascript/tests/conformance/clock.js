/** Lets all promises run whose values are there, and reads what the sockets have. */
export const settle = () => new Promise(resolve => setImmediate(resolve))

/** Time that the kit moves. It tells when the next timer is due. */
export class Clock {
    time = 0
    #timers = new Map()
    #count = 0
    #told = ""
    #hear

    /** @param {(timers: {timer: number | null, count: number}) => void} hear */
    constructor(hear) {
        this.#hear = hear
    }

    set = (run, delay) => {
        this.#timers.set(++this.#count, { at: this.time + Math.max(0, delay), run })
        this.#tell()
        return this.#count
    }

    clear = id => {
        if (this.#timers.delete(id)) this.#tell()
    }

    async advance(to) {
        for (;;) {
            const [next] = [...this.#timers].sort((a, b) => a[1].at - b[1].at || a[0] - b[0])
            if (!next || next[1].at > to) break
            this.#timers.delete(next[0])
            this.time = Math.max(this.time, next[1].at)
            next[1].run()
            await settle()
        }
        this.time = Math.max(this.time, to)
        this.#tell()
    }

    #tell() {
        const due = this.#timers.size ? Math.min(...[...this.#timers.values()].map(({ at }) => at)) : null
        const line = { timer: due, count: this.#timers.size }
        if (JSON.stringify(line) !== this.#told) this.#hear(line)
        this.#told = JSON.stringify(line)
    }
}
