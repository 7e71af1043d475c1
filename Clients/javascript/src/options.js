/**
 * @typedef {object} Options
 * @property {(state: any, action: any) => any} [reducer]
 * @property {import("./access.js").TokenSource} [token]
 * @property {"memory" | "indexeddb"} [storage]
 * @property {string} [select]
 * @property {string} [user]
 * @property {string | true} [create]
 * @property {string} [version]
 * @property {string[]} [secret]
 * @property {(text: string) => any} [parse]
 * @property {boolean} [effects]
 * @property {boolean} [presence]
 * @property {boolean} [signals]
 * @property {boolean} [actions]
 * @property {"drop" | "resend" | ((actions: import("./replay.js").Action[]) => "drop" | "resend")} [unknown]
 */

export {}
