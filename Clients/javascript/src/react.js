/** @typedef {import("./store.js").Store} Store */
/** @typedef {{useSyncExternalStore: any, useRef: any}} React */

/**
 * Hooks of the React that the page has, so that this module needs none.
 * @param {React} react
 */
export function reactBinding({ useSyncExternalStore, useRef }) {
    /** @param {Store} store @param {(state: any) => any} [selector] */
    function useStore(store, selector = state => state) {
        const last = useRef()
        const select = () => {
            const { state } = store
            // A selector that makes a new object each time must not make React render for ever.
            if (!last.current || last.current.state !== state || last.current.selector !== selector) {
                last.current = { state, selector, value: state === undefined ? undefined : selector(state) }
            }
            return last.current.value
        }
        return useSyncExternalStore(store.subscribe, select, select)
    }

    /** @param {Store} store */
    function useConnection(store) {
        const get = () => store.connection
        return useSyncExternalStore(store.onConnection, get, get)
    }

    /** @param {Store} store */
    function usePending(store) {
        const get = () => store.pending
        return useSyncExternalStore(store.subscribe, get, get)
    }

    return { useStore, useConnection, usePending }
}
