import { request } from "node:http"

/** As much of `fetch` as the client uses. It tells of each end of a connection, of which Node's own keeps some to itself. */
export const fetch = (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
        const call = request(url, { method, headers, signal, agent: false }, answer => resolve(respond(answer)))
        call.on("error", reject)
        call.end(body)
    })

function respond(answer) {
    const pieces = answer[Symbol.asyncIterator]()
    const status = answer.statusCode
    return {
        status,
        ok: status >= 200 && status < 300,
        headers: { get: name => answer.headers[name.toLowerCase()] ?? null },
        body: { getReader: () => ({ read: () => pieces.next() }) },
        async json() {
            let text = ""
            answer.setEncoding("utf8")
            for await (const piece of pieces) text += piece
            return JSON.parse(text)
        },
    }
}
