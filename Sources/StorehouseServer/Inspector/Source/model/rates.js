/** Counts events of the last seconds. */
export class Rate {
    /** @type {number[]} how many in each second, the newest last */
    #counts
    #second = 0

    /** @param {number} [seconds] */
    constructor(seconds = 10) {
        this.#counts = Array(seconds).fill(0)
    }

    /** @param {number} now milliseconds @param {number} [count] */
    add(now, count = 1) {
        this.#move(now)
        this.#counts[this.#counts.length - 1] += count
    }

    /** @param {number} now milliseconds @returns {number} events a second */
    perSecond(now) {
        this.#move(now)
        return this.#counts.reduce((sum, count) => sum + count, 0) / this.#counts.length
    }

    /** @param {number} now */
    #move(now) {
        const second = Math.floor(now / 1000)
        for (let missing = Math.min(second - this.#second, this.#counts.length); missing > 0; missing--) {
            this.#counts.shift()
            this.#counts.push(0)
        }
        this.#second = Math.max(second, this.#second)
    }
}

/** The latest of many times. */
export class Times {
    /** @type {number[]} */
    #latest = []

    /** @param {number} milliseconds */
    add(milliseconds) {
        this.#latest.push(milliseconds)
        if (this.#latest.length > 200) this.#latest.shift()
    }

    /** The time that 99 of 100 do not exceed; undefined without any. */
    get p99() {
        return [...this.#latest].sort((a, b) => a - b)[Math.ceil(this.#latest.length * 0.99) - 1]
    }
}

/** @param {number} rate events a second */
export const perSecond = rate => `${rate > 0 && rate < 0.1 ? "<0.1" : rate < 10 ? Number(rate.toFixed(1)) : Math.round(rate)}/s`

/** @param {number} bytes @returns {string} `391 KiB` */
export function size(bytes) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"]
    let unit = 0
    while (bytes >= 999.5 && unit < units.length - 1) {
        bytes /= 1024
        unit++
    }
    return `${unit && bytes < 100 ? Number(bytes.toFixed(1)) : Math.round(bytes)} ${units[unit]}`
}

/** @type {[number, string][]} */
const units = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"], [1000, "s"]]

/** @param {number} milliseconds @returns {string} `42 ms`, `1.2 s`, `23 h` */
export function duration(milliseconds) {
    if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`
    if (milliseconds < 10_000) return `${Number((milliseconds / 1000).toFixed(1))} s`
    const [unit, name] = units.find(([unit]) => milliseconds >= unit) ?? units[3]
    return `${Math.floor(milliseconds / unit)} ${name}`
}

/** @param {number} milliseconds since the entry before @returns {string} `+1.2 s` */
export const delta = milliseconds => `+${duration(Math.max(0, milliseconds))}`

/** @param {string | number | undefined} at @param {number} now milliseconds @returns {string} `expires in 23 h` */
export function expiry(at, now) {
    if (at === undefined) return "never expires"
    const left = new Date(at).getTime() - now
    return left > 0 ? `expires in ${duration(left)}` : "expired"
}

/** @param {number} count @returns {string} `10 000`, with narrow spaces that do not break */
export const grouped = count => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f")
