/**
 * The address of a resource below a session, with the query of the session's own address.
 * @param {string | URL} session @param {string} name empty for the session itself
 * @param {Record<string, string | boolean | undefined>} [query] members without a value are left out
 */
export function address(session, name, query = {}) {
    const url = new URL(session, globalThis.location?.href)
    if (name) url.pathname = url.pathname.replace(/\/*$/, "/" + name)
    for (const [key, value] of Object.entries(query)) if (value) url.searchParams.set(key, String(value))
    return url.href
}

/**
 * The waiting time that an answer asks for, in milliseconds.
 * @param {{headers: {get(name: string): string | null}}} response
 */
export const retryAfter = response => 1000 * (Number(response.headers.get("Retry-After")) || 0)

/** @param {string | null | undefined} token @returns {Record<string, string>} */
export const authorization = token => (token ? { Authorization: "Bearer " + token } : {})
