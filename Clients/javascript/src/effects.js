/** @typedef {{from: number, to: number, left: number, settle(isSettled: boolean): void}} Wait */

const remembered = 200
const finals = ["succeeded", "failed", "cancelled"]

/** Knows when the effects of entries have ended, as far as events tell. */
export function createEffects() {
    /** @type {number[]} causes of effects that have ended, one for each effect */
    let ended = []
    /** @type {Wait[]} */
    let waits = []

    return {
        /** @param {import("./replay.js").Event} event */
        hear({ type, data }) {
            if (type !== "effect" || !finals.includes(data.phase)) return
            const { cause } = data
            ended = [...ended, cause].slice(-remembered)
            waits = waits.filter(wait => {
                if (cause > wait.from && cause <= wait.to) wait.left--
                if (!wait.left) wait.settle(true)
                return wait.left
            })
        },

        /** The ends of effects are not told again after a loss. */
        lose() {
            for (const { settle } of waits.splice(0)) settle(false)
        },

        /**
         * Waits for effects whose causes have the revisions behind `from` up to `to`.
         * @param {Wait} wait `left` is how many effects there are
         * @param {boolean} isHeard whether events tell of them
         */
        wait({ from, to, left, settle }, isHeard) {
            left -= ended.filter(cause => cause > from && cause <= to).length
            if (left <= 0) settle(true)
            else if (isHeard) waits.push({ from, to, left, settle })
            else settle(false)
        },
    }
}
