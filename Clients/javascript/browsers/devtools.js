/** Commands for Chromium, by the pipe of its DevTools protocol. */
export class DevTools {
    #pipe
    #number = 0
    #waiting = new Map()
    #rest = ""

    /** @param {import("node:child_process").ChildProcess} browser with `--remote-debugging-pipe` */
    constructor({ stdio: [, , , commands, answers] }) {
        this.#pipe = commands
        for (const pipe of [commands, answers]) pipe.on("error", () => {}) // it ends with the browser
        answers.setEncoding("utf8").on("data", text => {
            const messages = (this.#rest + text).split("\0")
            this.#rest = messages.pop()
            for (const message of messages) this.#take(JSON.parse(message))
        })
    }

    #take({ id, result, error }) {
        const waiting = this.#waiting.get(id)
        this.#waiting.delete(id)
        if (error) waiting?.reject(new Error(error.message))
        else waiting?.resolve(result)
    }

    send(method, params = {}, sessionId = undefined) {
        const id = ++this.#number
        this.#pipe.write(JSON.stringify({ id, method, params, sessionId }) + "\0")
        return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    }

    /** Sends a command to the page whose URL has this text. */
    async sendTo(text, method, params) {
        const { targetInfos } = await this.send("Target.getTargets")
        const { targetId } = targetInfos.find(({ type, url }) => type === "page" && url.includes(text))
        const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true })
        return this.send(method, params, sessionId)
    }
}
