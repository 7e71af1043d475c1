import { reject } from "../../src/index.js"

export const initial = { count: 0, items: [], note: "", isLoading: false }

/** The rules that server and client share. */
export function reducer(state, { type, payload = {} }) {
    switch (type) {
        case "counter/increment":
            return { ...state, count: state.count + (payload.by ?? 1) }
        case "counter/limited":
            return state.count >= payload.most ? reject("too-many") : { ...state, count: state.count + 1 }
        case "items/add":
            return { ...state, items: [...state.items, payload.id] }
        case "note/set":
            return { ...state, note: payload.text }
        case "call/start":
            return { ...state, isLoading: true }
        case "call/end":
            return { ...state, isLoading: false, note: payload.text }
        case "touch":
            return state
        case "broken":
            throw new Error("this reducer cannot run the action")
        default:
            return undefined
    }
}

/** The rules of the server, which knows more. */
export function decide(state, action) {
    const { type, payload = {} } = action
    if (type === "nothing") return { outcome: "ignored" }
    if (type === "server/only") return { state: { ...state, note: "server" } }
    if (type === "counter/strict") return state.count >= 1 ? { reason: "strict" } : { state: { ...state, count: 1 } }
    if (type === "counter/lenient") return { state: { ...state, count: state.count + 1 } }
    if (type === "broken") return { state: { ...state, note: "mended" } }
    if (type === "internal") return { status: 403, code: "internal-action" }
    const next = reducer(state, action)
    if (next === undefined) return { status: 422, code: "unknown-action" }
    return next.reason !== undefined && !("count" in next) ? { reason: next.reason } : { state: next, effects: payload.effects }
}

/** A reducer of an app whose rules are stricter than those of the server. */
export const strictReducer = (state, action) => {
    if (action.type === "counter/lenient") return reject("closed")
    if (action.type === "counter/strict") return { ...state, count: state.count + 1 }
    return reducer(state, action)
}
