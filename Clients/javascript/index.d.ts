/** A flux standard action. `type` is `slice/action`. */
export interface Action {
    type: string
    payload?: object
}

/** A reducer returns this where its rules forbid an action. */
export interface Rejection {
    readonly reason: string
}
export function reject(reason: string): Rejection

export type Status = "connecting" | "live" | "reconnecting" | "offline" | "unauthorized" | "ended"

export interface Connection {
    readonly status: Status
    /** False only while the state is known to be the newest. */
    readonly isStale: boolean
    /** The time of the loss, in milliseconds. */
    readonly since?: number
    /** With `ended`: `session-ended`, `revoked`, `forbidden`, `not-found`, `refused` or `closed`. */
    readonly reason?: string
    /** With `ended`: the refusal, in the words of the server, whose `detail` is a sentence. */
    readonly problem?: Problem
}

export interface Outcome {
    readonly outcome: "committed" | "ignored"
    readonly revision: number
    /** The effects that the actions started on the server. */
    readonly effects: readonly string[]
}

export interface Pending<A> {
    readonly action: A
    readonly actions: readonly A[]
    /** The reason for which the local rules reject the actions. The server has the last word. */
    readonly reason?: string
}

/** Why the server refused an action or a connection. */
export interface Problem {
    readonly status?: number
    readonly code?: string
    readonly detail?: string
    readonly reason?: string
    readonly index?: number
    readonly [member: string]: unknown
}

export class StorehouseError extends Error {}

/** The server decided against the actions. */
export class ActionRejected<A = Action, Reason extends string = string> extends StorehouseError {
    readonly name: "ActionRejected"
    readonly outcome: "rejected" | "mismatched" | "refused"
    readonly reason: Reason
    readonly revision: number
    readonly problem: Problem
    /** The action that was refused, out of `actions`. */
    readonly action: A
    readonly actions: readonly A[]
}

/** The server no longer knows whether the actions were committed. */
export class OutcomeUnknown<A = Action> extends StorehouseError {
    readonly name: "OutcomeUnknown"
    readonly action: A
    readonly actions: readonly A[]
}

/** 1000 entries or 1 MiB wait already, or the actions are larger than a request may be. */
export class OutboxFull extends StorehouseError {
    readonly name: "OutboxFull"
}

/** The connection ended before the actions were decided. */
export class ConnectionEnded extends StorehouseError {
    readonly name: "ConnectionEnded"
    readonly reason: string
    readonly problem?: Problem
}

export interface Options<S, A> {
    /** The rules of the kind. With them, actions are shown before the server answers. `undefined` means: cannot predict. */
    reducer?: (state: S, action: A) => S | Rejection | undefined
    /**
     * Gives the token. It is asked without a reason before first use, and later with the reason for which another is needed.
     * A store belongs to the subject of its first token.
     */
    token?: (reason?: "unauthorized" | "expired" | "expiring") => string | null | undefined | Promise<string | null | undefined>
    /** `indexeddb` keeps the outbox and the newest state on disk, and shares one connection among all tabs. Default: `memory`. */
    storage?: "memory" | "indexeddb"
    /** The user whose outbox it is, if the token does not say. */
    user?: string
    /** A JSON Pointer or the name of a selector. */
    select?: string
    /** Makes a session that does not exist, of this kind. */
    create?: string | true
    /** The version of the kind that the reducer is written for. Nothing is predicted for another one. */
    version?: string
    /** Types of actions with secret fields. They are neither predicted nor written to disk. */
    secret?: readonly string[]
    /** Reads the JSON of an event in place of `JSON.parse`, for instance to keep integers beyond 2^53 exact. */
    parse?: (text: string) => any
    /** Asks for effect events, which `settled` needs. */
    effects?: boolean
    presence?: boolean
    signals?: boolean
    /** Asks for the entries of the action log, each before the state that it leads to. A share does not give them. */
    actions?: boolean
    /** Decides what becomes of actions that may have been committed. Default: `drop`. */
    unknown?: "drop" | "resend" | ((actions: readonly A[]) => "drop" | "resend")
}

export interface DispatchOptions {
    /** Commits only at this revision: `store.etag`. */
    ifMatch?: string
    isSecret?: boolean
    predicts?: boolean
}

/** Done when the outcome is known and the confirmed state contains it. */
export interface Dispatched extends Promise<Outcome> {
    /** Done when the actions are in the outbox, also without a network. */
    readonly stored: Promise<void>
    /** True when the effects of the actions have ended; false if that cannot be known. */
    readonly settled: Promise<boolean>
}

export type Report<A = Action> =
    | { kind: "history"; history: string }
    | { kind: "unknown"; entries: readonly (readonly A[])[] }
    | { kind: "version"; version: string }
    | { kind: "patch" | "storage" | "token"; error: unknown }
    /** The reducer has thrown, so the action is not predicted. Told once for each type of action. */
    | { kind: "reducer"; error: unknown; action: A }
    /** The server is older than this client: it has no `ready` events, or no `sync`, so that nothing is predicted. */
    | { kind: "old"; lacks: "ready" | "sync" }
    | { kind: "user" }

export interface ServerEvent {
    readonly type: string
    readonly data: any
}

export interface Trace<A = Action> {
    readonly phase: "pending" | "done" | "lost" | "changed"
    readonly entry?: { readonly actions: readonly A[] }
    readonly result?: { readonly outcome: string }
    readonly state: unknown
}

export interface Store<S = any, A = Action> {
    /** The confirmed state with the pending actions replayed on it; `undefined` before the first state. */
    readonly state: S | undefined
    readonly confirmed: S | undefined
    readonly revision: number
    readonly etag: string
    readonly connection: Connection
    readonly pending: readonly Pending<A>[]
    /** The newest 20, the last one last. */
    readonly refusals: readonly ActionRejected<A>[]
    /** The first state. */
    readonly ready: Promise<S>
    /** Shows an action, or several that commit together, at once, and sends it. */
    dispatch(action: A | readonly A[], options?: DispatchOptions): Dispatched
    subscribe(listener: () => void): () => void
    /** Tells the present connection at once, and each later one. */
    onConnection(listener: (connection: Connection) => void): () => void
    onReport(listener: (report: Report<A>) => void): () => void
    /** Effects, presence, signals and log entries, if the options ask for them. */
    onEvent(listener: (event: ServerEvent) => void): () => void
    onTrace(listener: (trace: Trace<A>) => void): () => void
    /** Done when nothing is pending. */
    flush(): Promise<void>
    setToken(token: string | null): void
    close(): void
    /** Closes, and deletes the outbox and the state of this user from disk. */
    signOut(): Promise<void>
}

/** Opens the store at the address of a session or a share. */
export function connect<S = any, A extends Action = Action>(url: string | URL, options?: Options<S, A>): Store<S, A>

export interface Hooks {
    useStore<S, A>(store: Store<S, A>): S | undefined
    useStore<S, A, T>(store: Store<S, A>, selector: (state: S) => T): T | undefined
    useConnection(store: Store<any, any>): Connection
    usePending<A>(store: Store<any, A>): readonly Pending<A>[]
}

/** Hooks for the React that is given. */
export function reactBinding(react: { useSyncExternalStore: any; useRef: any }): Hooks
