import { asked } from "./backoff.js"

/** @typedef {{type: string, data: string, id: string}} Block */

const largest = 1 << 26 // characters of one event; a proxy that never sends an empty line must not fill the memory

/** @typedef {ReturnType<typeof createParser>} EventParser */

/** Parses an event stream (HTML standard, "Server-sent events") that comes in pieces of any size. */
export function createParser() {
    /** @type {number | undefined} the newest `retry:` of the server, in milliseconds */
    let retry
    const decoder = new TextDecoder()
    let endsInCR = false
    let rest = ""
    let type = ""
    let id = ""
    /** @type {string[]} */
    let data = []
    let length = 0

    /**
     * @param {Uint8Array} bytes
     * @returns {Block[]} the events that these bytes complete
     */
    function feed(bytes) {
        let text = decoder.decode(bytes, { stream: true })
        if (!text) return []
        // The CR ended its line at once, because no other byte may come for long.
        if (endsInCR && text[0] === "\n") text = text.slice(1)
        endsInCR = text.endsWith("\r")
        const lines = text.split(/\r\n?|\n/)
        lines[0] = rest + lines[0]
        rest = /** @type {string} */ (lines.pop())
        /** @type {Block[]} */
        const blocks = []
        for (const line of lines) read(line, blocks)
        if (length + rest.length > largest) throw new Error("an event is too large")
        return blocks
    }

    /** @param {string} line @param {Block[]} blocks */
    function read(line, blocks) {
        if (!line) {
            if (data.length) blocks.push({ type: type || "message", data: data.join("\n"), id })
            type = ""
            data = []
            length = 0
            return
        }
        const [, name, value] = /** @type {RegExpExecArray} */ (/^([^:]*):? ?(.*)$/su.exec(line))
        if (name === "data") {
            data.push(value)
            length += value.length
        } else if (name === "event") type = value
        else if (name === "id" && !value.includes("\0")) id = value
        else if (name === "retry" && /^\d+$/.test(value)) retry = asked(+value / 1000)
    }

    return {
        feed,
        get retry() {
            return retry
        },
    }
}
