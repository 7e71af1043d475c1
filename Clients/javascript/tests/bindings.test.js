import assert from "node:assert/strict"
import { test } from "node:test"
import { devtools } from "../src/devtools.js"
import { connect, reactBinding, reject } from "../src/index.js"
import { reduxEnhancer } from "../src/redux.js"
import { increment, settle, World } from "./support/world.js"

/** As much of React as a hook needs: it renders a function again when a snapshot has changed. */
function render(component) {
    const refs = []
    let at
    let renders = 0
    let snapshot
    let isSubscribed = false
    const React = {
        useRef: () => (refs[at++] ??= {}),
        useSyncExternalStore(subscribe, get) {
            snapshot = get()
            assert.equal(get(), snapshot, "a snapshot is the same until the store changes")
            if (!isSubscribed) {
                isSubscribed = true
                subscribe(() => Object.is(get(), snapshot) || draw())
            }
            return snapshot
        },
    }
    const hooks = reactBinding(React)
    const draw = () => {
        at = 0
        renders++
        component(hooks)
    }
    draw()
    return () => renders
}

test("useStore renders again only if the selected part has changed", async () => {
    const world = new World()
    const { store } = await world.live()
    const values = []
    const selector = state => state.items
    const renders = render(({ useStore }) => values.push(useStore(store, selector)))
    await store.dispatch(increment())
    assert.equal(renders(), 1)
    store.dispatch({ type: "items/add", payload: { id: 1 } })
    assert.deepEqual(values, [[], [1]])
})

test("useStore gives undefined before the first state, and takes a selector that makes new objects", async () => {
    const world = new World()
    const { store } = world.open()
    const values = []
    render(({ useStore }) => values.push(useStore(store, state => ({ count: state.count }))))
    await settle()
    assert.deepEqual(values, [undefined, { count: 0 }])
})

test("useConnection and usePending follow their part", async () => {
    const world = new World()
    const { store } = await world.live()
    const waiting = []
    const stale = []
    render(({ usePending }) => waiting.push(usePending(store).length))
    render(({ useConnection }) => stale.push(useConnection(store).isStale))
    await store.dispatch(increment())
    world.server.cut()
    await settle()
    assert.deepEqual(waiting, [0, 1, 0])
    assert.deepEqual(stale, [false, true])
})

/** As much of Redux as an enhancer needs. */
function createStore(reducer, state) {
    const listeners = new Set()
    const dispatch = action => {
        state = reducer(state, action)
        listeners.forEach(listener => listener())
        return action
    }
    dispatch({ type: "@@redux/INIT" })
    return { dispatch, getState: () => state, subscribe: listener => void listeners.add(listener) }
}

test("a Redux store has the state of the server in a slice, and sends its actions", async () => {
    const world = new World()
    const { store } = await world.live()
    const local = (state = { counter: undefined, theme: "light" }, { type }) => (type === "theme/dark" ? { ...state, theme: "dark" } : state)
    const redux = reduxEnhancer(store, { slice: "counter" })(createStore)(local)
    const counts = []
    redux.subscribe(() => counts.push(redux.getState().counter.count))
    const promise = redux.dispatch(increment(2))
    assert.equal(redux.getState().counter.count, 2)
    await promise
    redux.dispatch({ type: "theme/dark" })
    assert.equal(redux.getState().theme, "dark")
    assert.equal(world.server.state.count, 2)
    assert.ok(counts.every(count => count === 2))
})

test("a Redux store may be the store of the server as a whole", async () => {
    const world = new World()
    const { store } = world.open()
    const redux = reduxEnhancer(store)(createStore)((state = { count: -1 }) => state)
    assert.equal(redux.getState().count, -1)
    await settle()
    assert.equal(redux.getState().count, 0)
})

test("the DevTools are told of pending, committed, rejected and rebased actions", async () => {
    const world = new World()
    const { store } = await world.live()
    const sent = []
    const tools = { init: () => {}, send: ({ type }) => sent.push(type) }
    const stop = devtools(store, { extension: { connect: () => tools } })
    world.network.answerDelay = 10
    store.dispatch(increment())
    store.dispatch({ type: "internal" }).catch(() => {})
    world.server.act(increment())
    await world.advance(100)
    assert.deepEqual(sent.slice(0, 3), ["pending counter/increment", "pending internal", "rebased 1"])
    assert.ok(sent.includes("committed counter/increment") && sent.includes("refused internal"))
    stop()
    const { length } = sent
    store.dispatch(increment())
    assert.equal(sent.length, length)
    assert.equal(typeof devtools(store), "function")
})

test("a listener that throws does not stop the others", async context => {
    const world = new World()
    const { store } = await world.live()
    const { mock } = context.mock.method(console, "error", () => {})
    let told = 0
    store.subscribe(() => {
        throw new Error("view")
    })
    store.subscribe(() => told++)
    await store.dispatch(increment())
    assert.ok(told > 0)
    assert.equal(mock.calls[0].arguments[0].message, "view")
    assert.equal(store.connection.status, "live")
})

test("connect needs no browser, and reject carries its reason", async () => {
    const store = connect("http://127.0.0.1:1/sessions/x")
    assert.equal(store.connection.status, "connecting")
    store.close()
    assert.equal(store.connection.status, "ended")
    assert.equal(reject("full").reason, "full")
})
