import { connect, reject } from "http://127.0.0.1:8080/client.js"

// The link of a guest ends with #TOKEN. Once the token has expired, another link goes on: what waits is on disk.
const token = () => location.hash.slice(1)
addEventListener("hashchange", () => location.reload())
export const guest = JSON.parse(atob(token().split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).sub

// The rules of the hall for what a guest does. With them, the page shows an action before the server answers.
function reducer(hall, { type, payload }) {
    const { [payload.seat]: seat, ...others } = hall.seats.entities
    const change = seat => ({ ...hall, seats: { ...hall.seats, entities: { ...others, ...seat && { [seat.id]: seat } } } })
    if (type === "cinema/hold") return seat ? reject("taken") : change({ id: payload.seat, guest, status: "held" })
    if (look(seat) !== "mine") return reject("not-held")
    return change(type === "cinema/pay" && { ...seat, status: "paying" })
}

const session = "http://127.0.0.1:8080/sessions/this-evening-at-eight-o-clock"
export const store = connect(session, { create: "cinema", storage: "indexeddb", token, reducer })
export const numbers = Array.from({ length: 100 }, (_, index) => index + 1)

/** What a seat is to this guest: `free`, `mine`, `taken`, or how the payment goes. */
export function look(seat) {
    if (!seat) return "free"
    if (seat.guest !== guest) return "taken"
    return seat.status === "held" ? "mine" : seat.status
}

const action = (name, seat) => ({ type: "cinema/" + name, payload: { seat } })

export function press(number) {
    const seat = store.state.seats.entities[number]
    store.dispatch(action(look(seat) === "mine" ? "cancel" : "hold", number))
}

/** Pays all seats that the guest holds, or none. */
export function pay() {
    const { entities } = store.state.seats
    store.dispatch(numbers.filter(number => look(entities[number]) === "mine").map(number => action("pay", number)))
}

/** Why the guest did not get a seat: by the rules of the hall, or because the bank declined. */
export function refusal() {
    const declined = store.state?.refusals.findLast(refusal => refusal.guest === guest)
    return store.refusals.at(-1)?.reason ?? declined?.reason ?? ""
}
