// The reducer of the kind `app`, as far as the kit uses it.
import { reject } from "../../src/index.js"

const place = ({ betslip }, { id }) => betslip.selections.findIndex(selection => selection.id === id)
const withSlip = (state, slip) => {
    const betslip = { ...state.betslip, ...slip }
    return { ...state, betslip: { ...betslip, totalStake: betslip.selections.reduce((sum, { stake }) => sum + stake, 0) } }
}
const count = sign => (state, { by = 1 }) => ({ ...state, counter: { count: state.counter.count + sign * by } })
export const reducers = {
    "counter/increment": count(1),
    "counter/decrement": count(-1),
    "counter/explode"() {
        throw new Error("a reducer that fails")
    },
    "user/balanceIncrease": (state, { value }) => ({ ...state, user: { balance: state.user.balance + value } }),
    "betslip/addSelection"(state, { id, event, outcome, odds }) {
        const { selections } = state.betslip
        if (place(state, { id }) >= 0) return reject("duplicate-selection")
        if (selections.length >= 20) return reject("betslip-full")
        return withSlip(state, { selections: [...selections, { id, event, outcome, odds, stake: 0 }] })
    },
    "betslip/setStake"(state, { id, stake }) {
        const at = place(state, { id })
        if (at < 0) return reject("no-such-selection")
        return withSlip(state, { selections: state.betslip.selections.map((one, i) => (i === at ? { ...one, stake } : one)) })
    },
    "betslip/removeSelection"(state, { id }) {
        const at = place(state, { id })
        if (at < 0) return reject("no-such-selection")
        return withSlip(state, { selections: state.betslip.selections.filter((_, i) => i !== at) })
    },
    "betslip/placeBet"(state) {
        const { selections, placed, totalStake } = state.betslip
        if (!selections.length) return reject("empty-betslip")
        if (selections.some(({ stake }) => !stake)) return reject("missing-stake")
        if (totalStake > state.user.balance) return reject("insufficient-balance")
        const bets = selections.map((selection, i) => {
            const potentialReturn = Math.floor((selection.stake * selection.odds) / 100)
            return { bet: placed.length + 1 + i, ...selection, potentialReturn }
        })
        const user = { balance: state.user.balance - totalStake }
        return withSlip({ ...state, user }, { selections: [], placed: [...placed, ...bets] })
    },
}
