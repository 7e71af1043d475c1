const most = 30000
const mostAsked = 3600000

/**
 * Milliseconds until the next attempt. Full jitter spreads clients that lost one server at the same moment.
 * @param {number} failures how many attempts failed before this loss
 * @param {number} retry the base in milliseconds, as the server may set it
 * @param {() => number} random
 */
export const backoff = (failures, retry, random) =>
    random() * (failures ? Math.min(most, Math.max(retry, 1000) * 2 ** failures) : 1000)

/**
 * Milliseconds that a server asks for, an hour at most. It may have sent anything, also what is no number.
 * @param {number} seconds
 */
export const asked = seconds => (seconds > 0 ? Math.min(mostAsked, seconds * 1000) : 0)
