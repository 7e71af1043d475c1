// Compiled by `build check`, and never run: the types must fit an app.
import { ActionRejected, connect, reactBinding, reject } from "../index.js"
import { devtools } from "../devtools.js"
import { reduxEnhancer } from "../redux.js"

interface Seats {
    guests: string[]
}
type SeatsAction = { type: "seats/book"; payload: { guest: string } } | { type: "seats/clear" }

const store = connect<Seats, SeatsAction>("https://host/sessions/me?store=seats", {
    reducer: (state, action) => {
        if (action.type === "seats/clear") return { guests: [] }
        return state.guests.length > 9 ? reject("full") : { guests: [...state.guests, action.payload.guest] }
    },
    token: async reason => (reason ? "new" : "old"),
    storage: "indexeddb",
})
const guests: string[] | undefined = store.state?.guests
const promise = store.dispatch({ type: "seats/book", payload: { guest: "Ada" } }, { ifMatch: store.etag })
promise.then(({ revision }) => revision + 1).catch(error => error instanceof ActionRejected && error.reason)
promise.stored.then(() => guests)
// @ts-expect-error: there is no such action
store.dispatch({ type: "seats/steal" })

declare const React: { useSyncExternalStore: unknown; useRef: unknown }
const { useStore, usePending } = reactBinding(React)
const first: string | undefined = useStore(store, state => state.guests)?.[0]
usePending(store).map(({ action, reason }) => [action.type, reason, first])
devtools(store)
reduxEnhancer(store, { slice: "seats" })
