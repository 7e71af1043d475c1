import { app, onChange } from "./app.js"
import { $, make, mark, write } from "./dom.js"
import { duration, expiry, grouped, perSecond, size } from "./model/rates.js"
import { answers } from "./server.js"

const reasons = /** @type {Record<string, string>} */ ({
    "session-ended": "ended", revoked: "access was taken away", forbidden: "not allowed", "not-found": "there is no such session",
    refused: "refused", closed: "closed",
})

/** @param {import("./session.js").Session} session @returns {[string, string]} words and look */
function connectionOf(session) {
    const { status, reason } = session.connection
    if (status === "live") {
        const rate = session.rate.perSecond(Date.now())
        return [rate ? `live · ${perSecond(rate)}` : "live", "good"]
    }
    if (status === "connecting") return ["connecting", "dim"]
    if (status === "unauthorized") return ["the server wants a token", "bad"]
    if (status === "ended") return [reasons[reason ?? ""] ?? `ended: ${reason}`, "bad"]
    const left = Math.max(0, (session.stream?.wake ?? 0) - Date.now())
    const wait = left > 500 && Number.isFinite(left) ? ` in ${duration(left)}` : ""
    return [status === "offline" ? `offline, trying again${wait}` : `reconnecting${wait}`, "warn"]
}

/** @param {number} number @param {string} word */
const many = (number, word) => `${grouped(number)} ${word}${number === 1 ? "" : "s"}`

let painted = 0

function paint() {
    const { session } = app
    painted = performance.now()
    const [words, look] = session ? connectionOf(session) : ["", ""]
    write($("live"), words)
    if ($("live").className !== look) $("live").className = look
    if (!session) return [$("numbers"), $("people")].forEach(one => write(one, ""))
    const { document: found, entries, effects } = session
    const running = effects.filter(({ isOver }) => !isOver).length
    const oldest = found.oldestRevision === undefined ? "" : `, oldest #${grouped(found.oldestRevision)}`
    const numbers = [
        found.stateBytes ? size(found.stateBytes) + " of 1 MiB" : "",
        `${many(session.revision, "commit")}${oldest}${entries.isWhole ? "" : `, ${grouped(entries.size)} loaded`}`,
        found.subscribers === undefined ? "" : many(found.subscribers, "stream"), many(running, "effect"),
        session.refused.length ? `${session.refused.length} refused` : "",
        answers.p99 ? `p99 ${duration(answers.p99)}` : "",
        found.node ? `on ${found.node}` : "", session.isOver || session.isShare ? "" : expiry(found.expiresAt ?? undefined, Date.now()),
    ].filter(Boolean)
    while ($("numbers").children.length > numbers.length) $("numbers").lastChild.remove()
    while ($("numbers").children.length < numbers.length) $("numbers").append(make("span"))
    numbers.forEach((number, i) => write($("numbers").children[i], number))
    paintPeople(session)
}

/** @param {import("./session.js").Session} session */
function paintPeople({ present: { present, anonymous } }) {
    const names = present.map(({ actor }) => `${actor.name ?? actor.id}${actor.roles?.length ? ` (${actor.roles.join(", ")})` : ""}`)
    const shown = names.slice(0, 3)
    if (names.length > 3) shown.push(`+${names.length - 3}`)
    if (anonymous) shown.push(`${anonymous} anonymous`)
    write($("people"), shown.join(" · "))
    mark($("people"), { title: `Watching now: ${[...names, `${anonymous} anonymous`].join("\n")}` })
}

export function startStatus() {
    onChange(["session", "connection", "document", "log", "effects", "people", "refused"], paint)
    // Not as a change, which would cost a frame even if nothing looks different. What comes each second has painted it already.
    setInterval(() => app.session && !document.hidden && performance.now() - painted > 1000 && paint(), 500)
}
