/** @typedef {{type: string, data: string, id: string}} Block */

const largest = 1 << 26 // characters of one event; a proxy that never sends an empty line must not fill the memory

/** Parses an event stream (HTML standard, "Server-sent events") that comes in pieces of any size. */
export class EventParser {
    /** @type {number | undefined} the newest `retry:` of the server, in milliseconds */
    retry
    #decoder = new TextDecoder()
    #endsInCR = false
    #line = ""
    #type = ""
    #id = ""
    /** @type {string[]} */
    #data = []
    #length = 0

    /**
     * @param {Uint8Array} bytes
     * @returns {Block[]} the events that these bytes complete
     */
    feed(bytes) {
        let text = this.#decoder.decode(bytes, { stream: true })
        if (!text) return []
        // The CR ended its line at once, because no other byte may come for long.
        if (this.#endsInCR && text[0] === "\n") text = text.slice(1)
        this.#endsInCR = text.endsWith("\r")
        const lines = text.split(/\r\n?|\n/)
        lines[0] = this.#line + lines[0]
        this.#line = /** @type {string} */ (lines.pop())
        /** @type {Block[]} */
        const blocks = []
        for (const line of lines) this.#read(line, blocks)
        if (this.#length + this.#line.length > largest) throw new Error("an event is too large")
        return blocks
    }

    /** @param {string} line @param {Block[]} blocks */
    #read(line, blocks) {
        if (!line) {
            const type = this.#type || "message"
            if (this.#data.length) blocks.push({ type, data: this.#data.join("\n"), id: this.#id })
            this.#type = ""
            this.#data = []
            this.#length = 0
            return
        }
        const [, name, value] = /** @type {RegExpExecArray} */ (/^([^:]*):? ?(.*)$/su.exec(line))
        if (name === "data") {
            this.#data.push(value)
            this.#length += value.length
        } else if (name === "event") this.#type = value
        else if (name === "id" && !value.includes("\0")) this.#id = value
        else if (name === "retry" && /^\d+$/.test(value)) this.retry = +value
    }
}
