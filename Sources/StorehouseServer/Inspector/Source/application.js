import { connect } from "../../../../Clients/javascript/src/index.js"
import { $, ask, attempt, because, below, differences, isTree, make, parse, tell, text, token, useToken, words } from "./library.js"

const most = { members: 200, changes: 50, entries: 1000, effects: 20 } // limits of what is shown
const opened = new Map() // the parts of the tree that were opened or closed, by pointer
let kinds = []
let current = null // the session shown

// ---- Sessions

function close() {
    current?.store?.close()
    current = null
    $("session").hidden = true
    $("start").hidden = false
    for (const control of controls()) control.disabled = false
    for (const id of ["about", "log", "revision", "changes", "tree", "refusal", "answer", "effects", "shared", "shares"])
        $(id).replaceChildren()
    $("action").value = ""
    status("")
}

// Opens the session of the fragment, which no request contains, and so no log.
async function open() {
    close()
    const id = $("id").value = location.hash.slice(1)
    if (!id) return
    if (!/^[\w-]+$/.test(id)) throw { detail: "This is no id of a session." }
    const found = await ask("GET", "sessions/" + id)
    if (current || location.hash.slice(1) !== id) return
    const session = current = { path: "sessions/" + id, newest: found.revision }
    session.last = Math.max(0, found.revision - most.entries)
    describe(found)
    if (!session.last) $("log").append(entry(session, { revision: 0, type: "the beginning" }))
    watch(session)
    await readLog(session)
}

const controls = () => $("session").querySelectorAll("button, input, select, textarea")

// The session has ended: what is shown stays, and nothing can be done with it.
function finish(session) {
    session.store.close()
    session.isOver = true
    for (const control of controls()) control.disabled = true
}

function describe(found) {
    const fork = found.forkedFrom ? `, forked from revision ${found.forkedFrom.revision}` : ""
    const [begun, end] = [found.createdAt, found.expiresAt].map(at => at && new Date(at).toLocaleString())
    const life = end ? `Unused it expires ${end}.` : "It never expires."
    const node = found.node ? ` on ${found.node}` : ""
    $("about").textContent = `A session of ${found.store}${fork}${node}, created ${begun}. ${life}`
    $("kinds").value = found.store
    const actions = kinds.find(kind => kind.name === found.store)?.actions ?? []
    const sendable = actions.filter(action => action.audience === "client")
    $("types").replaceChildren(...sendable.map(action => Object.assign(make("option", "", action.type), { action })))
    choose()
    $("session").hidden = false
    $("start").hidden = true
}

// Follows the session.
function watch(session) {
    const url = new URL(session.path, location)
    const store = session.store = connect(url, { parse, effects: true, token: () => token })
    store.onConnection(connection => session === current && showConnection(session, connection))
    store.onEvent(({ type, data }) => session === current && type === "effect" && showEffect(data))
    store.subscribe(() => {
        if (session !== current) return
        session.newest = store.revision
        readLog(session).catch(tell)
        paint(session)
    })
}

function showConnection(session, { status: word, reason }) {
    if (word === "live") {
        status("live", "good")
        attempt(() => listEffects(session))
    } else if (word === "ended") {
        finish(session)
        status(`closed by the server: ${reason}`, "bad")
    } else if (word === "unauthorized") {
        $("enter").hidden = false
        status("not connected: the server wants a token", "bad")
    } else if (word === "connecting") status(word)
    else status("connection lost, trying again", "bad")
}

// Effects that began before the stream.
async function listEffects(session) {
    $("effects").replaceChildren()
    const { effects } = await ask("GET", session.path)
    if (session !== current) return
    const shown = new Set([...$("effects").children].map(item => item.event.effect))
    for (const effect of effects) if (!shown.has(effect)) showEffect({ effect, phase: "running" })
}

const status = (words, look = "") => Object.assign($("status"), { textContent: words, className: look })

function showEffect(event) {
    const isSame = other => other.effect === event.effect && (other.cause ?? event.cause) === event.cause
    const known = [...$("effects").children].find(item => isSame(item.event) && !item.isOver)
    const time = event.duration === undefined ? "" : `${event.duration} ms`
    const details = words(because(event), event.attempt && `attempt ${event.attempt}`, event.code, time, event.upstream)
    const look = { succeeded: "good", failed: "bad" }[event.phase]
    const phase = make("span", look, ` ${event.phase} `)
    const item = make("li", "", make("b", "", event.effect), phase, make("span", "note", details))
    known ? known.replaceWith(item) : $("effects").prepend(item)
    Object.assign(item, { event, isOver: ["succeeded", "failed", "cancelled"].includes(event.phase) })
    if ($("effects").childElementCount > most.effects) $("effects").lastElementChild.remove()
}

// ---- The state: now, or at the chosen revision

async function travel(session, revision) {
    session.goal = revision
    const read = at => ask("GET", `${session.path}/state?revision=${at}`)
    const before = revision ? read(revision - 1).catch(() => null) : null
    const [found, earlier] = await Promise.all([read(revision), before])
    if (session.goal !== revision) return
    session.past = { ...found, before: earlier?.state }
    paint(session)
}

function returnToNow() {
    current.goal = current.past = null
    paint(current)
}

function paint(session) {
    const { confirmed: state, revision } = session.store
    if (session !== current || state === undefined) return
    if (session.now?.revision !== revision) session.now = { revision, state, before: session.now?.state }
    const view = session.past ?? session.now
    const found = view.before === undefined ? [] : differences(view.before, view.state)
    const touched = new Set()
    for (const [pointer] of found) for (let at = pointer; at; at = at.slice(0, at.lastIndexOf("/"))) touched.add(at)
    $("revision").textContent = `at revision ${view.revision}, ${session.past ? "in the past" : "now"}`
    $("now").disabled = !session.past || session.isOver
    const changes = found.slice(0, most.changes).map(([pointer, before, after]) =>
        make("li", "", `${pointer || "/"}: `, make("del", "", text(before)), " → ", make("ins", "", text(after))))
    const more = found.length - changes.length
    $("changes").replaceChildren(...changes, more ? `and ${more} more` : changes.length ? "" : "none")
    const focused = document.activeElement.dataset.pointer
    $("tree").replaceChildren(branch("state", view.state, "", touched))
    const summaries = focused === undefined ? [] : [...$("tree").querySelectorAll("summary")]
    summaries.find(summary => summary.dataset.pointer === focused)?.focus()
    for (const button of $("log").querySelectorAll("button"))
        button.setAttribute("aria-current", session.past?.revision === button.action.revision)
}

function branch(name, value, pointer, touched) {
    const look = touched.has(pointer) ? "changed" : ""
    const key = make("span", "key", name)
    if (!isTree(value)) return make("div", "leaf " + look, key, ": ", make("span", "value", text(value)))
    const names = Object.keys(value)
    const count = Array.isArray(value) ? ` [${names.length}]` : ` {${names.length}}`
    const summary = make("summary", look, key, make("span", "note", count))
    summary.dataset.pointer = pointer
    const details = make("details", "", summary)
    const fill = () => {
        if (!details.open || details.children.length > 1) return
        const shown = names.slice(0, most.members)
        details.append(...shown.map(name => branch(name, value[name], below(pointer, name), touched)))
        if (names.length > shown.length) details.append(make("div", "note", `and ${names.length - shown.length} more`))
    }
    details.open = opened.get(pointer) ?? (names.length <= 50 || look !== "")
    fill()
    summary.addEventListener("click", () => opened.set(pointer, !details.open))
    details.addEventListener("toggle", fill)
    return details
}

// ---- The action log, newest first

// Reads up to the newest entry. A call during a read causes another read after it.
function readLog(session) {
    session.isBehind = true
    return session.reading ??= readOn(session).finally(() => session.reading = null)
}

async function readOn(session) {
    for (let span = most.entries * 10; session.isBehind && session === current;) {
        session.isBehind = false
        const page = await ask("GET", `${session.path}/actions?after=${session.last}&limit=1000`).catch(problem => {
            if (problem.code !== "revision-gone" || !span) throw problem
            // Ask for less of the past, until that is still stored.
            span = Math.floor(span / 10)
            session.last = Math.max(0, session.newest - span)
            return { actions: [], next: session.last }
        })
        if (session !== current) return
        $("log").prepend(...page.actions.map(action => entry(session, action)).reverse())
        while ($("log").childElementCount > most.entries) $("log").lastElementChild.remove()
        session.last = page.actions.at(-1)?.revision ?? session.last
        session.isBehind ||= page.next !== null
    }
}

function entry(session, action) {
    const from = words(action.origin, because(action), action.at && new Date(action.at).toLocaleTimeString())
    const payload = action.payload ? make("code", "", text(action.payload)) : ""
    const title = [make("b", "", action.revision), ` ${action.type} `]
    const button = make("button", "", ...title, make("span", "note", from), payload)
    Object.assign(button, { type: "button", title: action.at ?? "", action })
    button.onclick = () => attempt(() => travel(session, action.revision))
    return make("li", "", button)
}

// ---- Sending

function choose() {
    const action = $("types").selectedOptions[0]?.action
    $("summary").textContent = action?.summary ?? "This kind has no action that a client may send."
    $("action").value = JSON.stringify(action?.example, null, 2) ?? ""
    $("schema").textContent = JSON.stringify(action?.payload, null, 2) ?? ""
    const secrets = Object.entries(action?.payload.properties ?? {}).filter(([, schema]) => schema.writeOnly)
    $("secrets").replaceChildren(...secrets.map(([name]) => make("label", "", `${name}, a secret `,
        Object.assign(make("input"), { type: "password", name, autocomplete: "off" }))))
}

// The typed action, with the secrets in its payload.
function body() {
    const typed = $("action").value
    const secrets = [...$("secrets").querySelectorAll("input")].filter(field => field.value)
    if (!secrets.length) return typed
    const action = parse(typed)
    const members = Object.fromEntries(secrets.map(field => [field.name, field.value]))
    return JSON.stringify({ ...action, payload: { ...action.payload, ...members } })
}

async function send(session, isDry) {
    const typed = $("action").value
    const answer = await ask("POST", `${session.path}/actions${isDry ? "?dryRun=true" : ""}`, body())
    if (session !== current) return
    const outcome = isDry ? `would be ${answer.outcome}` : `${answer.outcome}, revision ${answer.revision}`
    const line = words(outcome, ...answer.effects.map(effect => `starts ${effect}`))
    const steps = (answer.patch ?? []).map(step => make("li", "", make("code", "", text(step))))
    $("answer").replaceChildren(make("p", "good", line), make("ul", "", ...steps))
    if (isDry) return
    for (const field of $("secrets").querySelectorAll("input")) field.value = ""
    returnToNow()
    await readLog(session)
    // A value that the log redacts may be a secret, and is not remembered.
    const { type, payload = {} } = parse(typed)
    const isLogged = [...$("log").querySelectorAll("button")].some(({ action }) =>
        action.revision === answer.revision && action.type === type && text(action.payload) === text(payload))
    if ($("action").value === typed && (answer.outcome === "ignored" || !isLogged)) choose()
}

// ---- Buttons

const on = (id, event, act) => $(id).addEventListener(event, event => (event.preventDefault(), act(event)))
const go = id => location.hash === "#" + id ? attempt(open) : location.hash = id
const begin = (path, wanted) => attempt(async () => go((await ask("POST", path, JSON.stringify(wanted))).id))

on("begin", "submit", () => begin("sessions", { store: $("kinds").value }))
on("find", "submit", () => go($("id").value.trim().replace(/^.*(sessions\/|#)/, "").replace(/[/?].*$/, "")))
on("now", "click", returnToNow)
on("fork", "click", () => begin(current.path + "/forks", { revision: (current.past ?? current.now).revision }))
on("delete", "click", () => confirm("Delete this session for everybody?") && attempt(() => ask("DELETE", current.path)))
const list = id => $(id).value.split(/[\s,]+/).filter(Boolean)

// What the form asks for. What is empty is left out.
function wantedShare() {
    const wanted = { may: $("acting").checked ? ["read", "act"] : ["read"], select: $("part").value.trim() }
    if (list("only").length) wanted.actions = list("only")
    if ($("label").value) wanted.label = $("label").value
    if ($("guest").value) {
        wanted.as = { id: $("guest").value, roles: list("roles") }
        if ($("called").value) wanted.as.name = $("called").value
    }
    return wanted
}

async function listShares(session) {
    const { shares } = await ask("GET", session.path + "/shares")
    if (session !== current) return
    $("shares").replaceChildren(...shares.map(share => {
        const revoke = make("button", "bad", "Revoke")
        revoke.type = "button"
        revoke.addEventListener("click", () => attempt(async () => {
            await ask("DELETE", `${session.path}/shares/${share.id}`)
            await listShares(session)
        }))
        const parts = [share.label, share.as && `${share.as.name ?? "guest"} (${[share.as.id, ...share.as.roles].join(", ")})`,
            share.may.join(" and "), share.actions?.join(", "), share.select,
            `until ${new Date(share.expiresAt).toLocaleString()}`]
        return make("li", "", parts.filter(Boolean).join(" · ") + " ", revoke)
    }))
    if (!shares.length) $("shares").append(make("li", "", "There are no shares."))
}

on("list", "click", () => attempt(() => listShares(current)))
on("share", "submit", () => attempt(async () => {
    const session = current
    const { links, expiresAt } = await ask("POST", session.path + "/shares", JSON.stringify(wantedShare()))
    if (session !== current) return
    await listShares(session)
    const items = Object.entries(links).map(([name, link]) =>
        make("li", "", `${name}: `, make("code", "", new URL(link, location).href)))
    const until = `Whoever has these addresses can use them until ${new Date(expiresAt).toLocaleString()}.`
    $("shared").replaceChildren(make("p", "note", until), make("ul", "", ...items))
}))
on("revoke", "click", () => attempt(async () => {
    const session = current
    await ask("DELETE", session.path + "/shares")
    await listShares(session)
    if (session === current) $("shared").replaceChildren(make("p", "good", "All shares of this session are revoked."))
}))
on("types", "change", choose)
on("send", "submit", event => {
    $("answer").replaceChildren()
    attempt(() => send(current, event.submitter?.value === "dry"), $("refusal"))
})
$("action").addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("send").requestSubmit()
})
$("log").addEventListener("keydown", event => {
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key]
    const next = step && event.target.parentElement[step]?.firstElementChild
    if (!next) return
    event.preventDefault()
    next.focus()
    next.click()
})
window.addEventListener("hashchange", () => attempt(open))
const start = () => attempt(async () => {
    kinds = (await ask("GET", "stores")).stores
    $("enter").hidden = true
    const options = kinds.map(({ name, summary }) => Object.assign(make("option", "", name), { title: summary }))
    $("kinds").replaceChildren(...options)
    $("offers").replaceChildren(...kinds.map(({ name, summary }) => {
        const button = Object.assign(make("button", "", name), { type: "button" })
        button.onclick = () => begin("sessions", { store: name })
        return make("li", "", button, ` ${summary}`)
    }))
    await open()
})
on("enter", "submit", () => {
    useToken($("token").value.trim())
    $("token").value = ""
    start()
})
start()
