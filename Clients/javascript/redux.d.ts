import type { Store } from "./index.js"

/** Puts a store of the server behind a Redux store: `createStore(reducer, reduxEnhancer(store))`. */
export function reduxEnhancer(
    store: Store<any, any>,
    options?: { slice?: string; isRemote?: (action: any) => boolean },
): (createStore: any) => any
