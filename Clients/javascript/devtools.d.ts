import type { Store } from "./index.js"

/** Shows pending, committed, rejected and rebased actions in the Redux DevTools. Returns a function that stops it. */
export function devtools(store: Store<any, any>, options?: { name?: string; extension?: unknown }): () => void
