/** Web Locks of one browser, with `steal`. */
export class FakeLocks {
    #held = new Map()
    #queue = []

    request(name, { signal, steal }, hold, owner) {
        return new Promise((resolve, reject) => {
            const request = { name, hold, resolve, reject, owner }
            signal?.addEventListener("abort", () => {
                const at = this.#queue.indexOf(request)
                if (at < 0) return
                this.#queue.splice(at, 1)
                reject(new Error("AbortError"))
            })
            if (steal) {
                this.#held.get(name)?.reject(new Error("AbortError"))
                this.#grant(request)
            } else {
                this.#queue.push(request)
                queueMicrotask(() => this.#next())
            }
        })
    }

    /** The lock of a tab that was killed. */
    kill(owner) {
        this.#queue = this.#queue.filter(request => request.owner !== owner)
        for (const [name, request] of this.#held) if (request.owner === owner) this.#held.delete(name)
        this.#next()
    }

    #grant(request) {
        this.#held.set(request.name, request)
        queueMicrotask(async () => {
            if (this.#held.get(request.name) !== request) return
            const result = await request.hold({})
            if (this.#held.get(request.name) !== request) return
            this.#held.delete(request.name)
            request.resolve(result)
            this.#next()
        })
    }

    #next() {
        const request = this.#queue.find(({ name }) => !this.#held.has(name))
        if (!request) return
        this.#queue.splice(this.#queue.indexOf(request), 1)
        this.#grant(request)
    }
}

/** Broadcast channels of one browser. A message of a channel reaches the others in order. */
export class FakeChannels {
    #all = new Set()

    make = owner => name => {
        const channel = {
            onmessage: null,
            close: () => this.#all.delete(entry),
            postMessage: message => {
                if (!this.#all.has(entry)) return
                for (const other of this.#all) {
                    if (other === entry || other.name !== name) continue
                    const copy = structuredClone(message)
                    queueMicrotask(() => {
                        if (other.owner.isFrozen) other.owner.missed.push(() => other.channel.onmessage?.({ data: copy }))
                        else if (this.#all.has(other)) other.channel.onmessage?.({ data: copy })
                    })
                }
            },
        }
        const entry = { name, channel, owner }
        this.#all.add(entry)
        return channel
    }

    kill(owner) {
        for (const entry of this.#all) if (entry.owner === owner) this.#all.delete(entry)
    }
}
