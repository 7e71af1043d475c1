/** @typedef {import("./store.js").Store} Store */
/** @typedef {{type: string}} ReduxAction */

const changed = "@@storehouse/state"

/**
 * Puts a store of the server behind a Redux store.
 * @param {Store} remote
 * @param {{slice?: string, isRemote?: (action: any) => boolean}} [options] `slice` names the member of the Redux state
 *     that holds the state of the server. Without it, that is the whole state. `isRemote` picks the actions to send.
 * @returns {(createStore: any) => (reducer: any, preloaded?: any) => any}
 */
export function reduxEnhancer(remote, options = {}) {
    const { slice, isRemote } = options
    const prefix = slice === undefined ? "" : slice + "/"
    const isOfServer = ({ type = "" }) => type.startsWith(prefix) && type.includes("/") && !type.startsWith("@@")
    const isSent = isRemote ?? isOfServer

    /** @param {any} state */
    const merged = state => {
        if (remote.state === undefined) return state
        return slice === undefined ? remote.state : { ...state, [slice]: remote.state }
    }

    return createStore => (reducer, preloaded) => {
        /** @param {any} state @param {ReduxAction} action */
        const root = (state, action) => (action.type === changed ? merged(state) : reducer(state, action))
        const local = createStore(root, preloaded)
        const tell = () => local.dispatch({ type: changed })
        remote.subscribe(tell)
        tell()
        return {
            ...local,
            /** @param {any} action */
            dispatch: action => (isSent(action) ? remote.dispatch(action) : local.dispatch(action)),
        }
    }
}
