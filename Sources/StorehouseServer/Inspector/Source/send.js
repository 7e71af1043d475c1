import { app, changed, kind, onChange, shownRevision } from "./app.js"
import { detailed, showChanges } from "./changelist.js"
import { $, button, field, input, make, mark, roving, write } from "./dom.js"
import { showFaults, showForm } from "./formview.js"
import { tell, toast } from "./layers.js"
import { ofPatch } from "./model/changes.js"
import { fill, formOf, problemsOf, valueOf } from "./model/form.js"
import { forkWith } from "./model/replay.js"
import { isTree, parse, text } from "./model/values.js"
import { choose } from "./navigate.js"
import { forkAnew, tried } from "./replays.js"
import { ask } from "./server.js"

const pause = 150 // milliseconds from an edit to its dry run

/** @type {import("./model/form.js").Field | null} */
let form = null
/** @type {any} the chosen declaration */
let action = null
let isJSON = false
/** @type {any[]} */
let batch = []
/** The revision of the action in whose place this one is sent to a fork; 0 for none. */
let instead = 0
/** The last revision that the preview of the fork sends again. */
let through = 0
/** @type {any} */
let timer
/** @type {AbortController | undefined} */
let running
/** @type {Map<string, string>} what was typed for an action, while the page shows its session */
const drafts = new Map()
let shownKind = ""
let triedAt = -1
/** @type {any} */
let restless

/** @type {Record<string, any>} */
let parts = {}

/** @param {string} words that speak to the author of a kind */
export const plain = words => words.replaceAll("`", "")

const sendable = () => (kind()?.actions ?? []).filter((/** @type {any} */ one) => one.audience !== "internal")

/** @returns {string[]} names of the members that are secret */
const secretNames = (one = action) => Object.entries(one?.payload?.properties ?? {}).filter(([, schema]) => /** @type {any} */ (schema).writeOnly).map(([name]) => name)

/**
 * The action that is typed. Throws if it is no JSON.
 * @returns {any}
 */
export function typedAction() {
    if (!isJSON) {
        const payload = form && valueOf(form)
        return payload && Object.keys(payload).length ? { type: action.type, payload } : { type: action.type }
    }
    const typed = parse(parts.json.value)
    const secrets = [...parts.secrets.querySelectorAll("input")].filter(one => one.value)
    if (!secrets.length || !isTree(typed)) return typed
    return { ...typed, payload: { ...typed.payload, ...Object.fromEntries(secrets.map(one => [one.name, one.value])) } }
}

/** @param {string} type @param {any} [payload] */
export function chooseAction(type, payload) {
    if (action) drafts.set(action.type, parts.json.value)
    action = sendable().find((/** @type {any} */ one) => one.type === type) ?? sendable()[0] ?? null
    parts.types.value = action?.type ?? ""
    write(parts.summary, action ? plain(action.summary ?? "") : app.view.lock ? "" : "This kind has no action that a client may send.")
    write(parts.role, action?.audience?.startsWith("role:") ? `Only for the role ${action.audience.slice(5)}.` : "")
    form = action && formOf(action.payload, payload ?? action.example?.payload ?? {})
    parts.json.value = payload ? JSON.stringify({ type, payload }, null, 2) : drafts.get(action?.type) ?? JSON.stringify(action?.example ?? {}, null, 2)
    parts.schema.textContent = JSON.stringify(action?.payload ?? {}, null, 2)
    showFields()
    edited()
}

/**
 * Fills the form with an action of the log, without what the server fills in or has redacted.
 * @param {any} entry @param {number} [revision] the one in whose place it is sent to a fork
 */
export function edit({ type, payload }, revision = 0) {
    const declared = sendable().find((/** @type {any} */ one) => one.type === type)
    instead = revision
    through = app.session?.revision ?? 0
    chooseAction(type, without(payload, [...secretNames(declared), ...Object.keys(declared?.filled ?? {})]))
    showBatch()
}

function showFields() {
    parts.form.hidden = isJSON
    parts.jsonfield.hidden = !isJSON
    parts.secrets.hidden = !isJSON
    mark(parts.toggle, { "aria-pressed": isJSON })
    if (form && !isJSON) showForm(parts.form, form, edited)
    const secrets = secretNames()
    parts.secrets.replaceChildren(...secrets.map(name => {
        const box = input({ type: "password", name })
        box.addEventListener("input", edited)
        return field(`${name}, a secret`, box)
    }))
}

/** Between form and JSON; what is typed goes along. */
function toggleJSON() {
    if (!isJSON) {
        const value = typedAction()
        const payload = Object.fromEntries(Object.entries(value.payload ?? {}).filter(([name]) => !secretNames().includes(name)))
        parts.json.value = JSON.stringify({ ...value, ...(value.payload && { payload }) }, null, 2)
    } else {
        try {
            const typed = parse(parts.json.value)
            if (typed.type !== action.type) chooseAction(typed.type, typed.payload ?? {})
            else if (form && !fill(form, typed.payload ?? {}) && !secretNames().length)
                return tell({ detail: "The form cannot show all of this JSON, so it stays." }, parts.refusal)
        } catch (error) {
            return tell({ detail: `This is not JSON: ${/** @type {Error} */ (error).message}` }, parts.refusal)
        }
    }
    isJSON = !isJSON
    tell(null, parts.refusal)
    showFields()
    edited()
}

/** Shows before it is sent what would come of it. */
export function edited() {
    clearTimeout(timer)
    running?.abort()
    const { session } = app
    parts.send.disabled = parts.add.disabled = !session || session.isOver || app.view.lock || !action
    mark(parts.preview, { "aria-busy": true })
    if (!session || session.isOver || !action) return parts.preview.replaceChildren()
    timer = setTimeout(() => dryRun(), pause)
}

/** The actions that Send sends, or the fork with another action. */
function outgoing(last = through) {
    if (instead) return forkWith(instead, typedAction(), last)
    const typed = batch.length && !parts.also.checked ? [] : [typedAction()]
    return batch.length ? [...batch, ...typed] : typed[0]
}

/** @returns {Record<string, string>} */
const conditions = () => parts.only.checked ? { "If-Match": `"${shownRevision()}"` } : {}

export async function dryRun() {
    const { session } = app
    if (!session || session.isOver) return
    running?.abort()
    running = new AbortController()
    const { signal } = running
    const { revision, state } = session
    triedAt = revision
    try {
        const faults = isJSON || !form ? [] : problemsOf(form)
        showFaults(parts.form, faults)
        const shown = instead ? await tried(session, outgoing(revision), signal) : preview(state, await ask(
            "POST", session.path + "/actions?dryRun=true&select=/-", outgoing(), { signal, headers: conditions() }))
        if (signal.aborted) return
        through = revision
        mark(parts.preview, { "aria-busy": null }).replaceChildren(...shown)
    } catch (problem) {
        if (!signal.aborted) showRefused(problem)
    }
}

/** @param {any} before @param {any} answer */
function preview(before, answer) {
    const list = make("ul", "changes")
    if (answer.outcome === "committed") showChanges(list, detailed(ofPatch(before, answer.patch ?? [])), { none: "Nothing would be changed." })
    const starts = answer.effects.length ? `, and would start ${answer.effects.join(", ")}` : ""
    const words = answer.outcome === "ignored" ? "It would be ignored: the state has nothing to do with it now."
        : `would be committed as #${answer.revision + 1}${batch.length ? ` and the next` : ""}${starts}`
    return [list, make("p", "dim", words)]
}

/** @param {any} problem */
function showRefused(problem) {
    const fault = problem instanceof SyntaxError ? { detail: `This is not JSON: ${problem.message}`, code: "malformed-json" } : problem
    const place = make("div", "refusal")
    tell(fault.code ? { ...fault, detail: plain(fault.detail ?? "") } : fault, place)
    mark(parts.preview, { "aria-busy": null }).replaceChildren(place, make("p", "dim", "It would be refused."))
    showFaults(parts.form, fault.errors ?? [])
}

async function send() {
    const { session } = app
    if (!session || app.view.lock) return
    try {
        if (instead) return await forkAnew(session, outgoing(), `with another action in the place of #${instead}`)
        const answer = await ask("POST", session.path + "/actions?select=/-", outgoing(), { headers: conditions() })
        const effects = answer.effects.map((/** @type {string} */ effect) => `, starts ${effect}`).join("")
        parts.answer.replaceChildren(make("p", "good", `${answer.outcome}, #${answer.revision}${effects}`))
        tell(null, parts.refusal)
        forgetSecrets()
        parts.only.checked = false
        choose(null)
        if (batch.length) toast("The batch is committed. It stays here until you clear it.")
    } catch (problem) {
        parts.answer.replaceChildren()
        tell(/** @type {any} */ (problem) instanceof SyntaxError ? { code: "malformed-json", detail: `${problem}` } : problem, parts.refusal)
        showFaults(parts.form, /** @type {any} */ (problem).errors ?? [])
        session.poll()
    }
    edited()
}

/** What was typed stays, but no secret does. */
function forgetSecrets() {
    const names = secretNames()
    if (!names.length) return
    for (const one of parts.secrets.querySelectorAll("input")) one.value = ""
    for (const secret of form?.fields ?? []) if (names.includes(secret.label)) fill(secret, "")
    batch = batch.map(one => one.type === action.type ? { ...one, payload: without(one.payload, names) } : one)
    try {
        const typed = parse(parts.json.value)
        if (isTree(typed.payload)) parts.json.value = JSON.stringify({ ...typed, payload: without(typed.payload, names) }, null, 2)
    } catch {
        parts.json.value = ""
    }
    showFields()
}

/** @param {any} tree @param {string[]} names */
const without = (tree, names) => Object.fromEntries(Object.entries(tree ?? {}).filter(([name]) => !names.includes(name)))

function addToBatch() {
    try {
        batch.push(typedAction())
    } catch (problem) {
        return showRefused(problem)
    }
    parts.also.checked = false
    showBatch()
}

function showBatch() {
    parts.tray.hidden = instead || !batch.length
    parts.add.hidden = parts.onlyfield.hidden = !!instead
    parts.cancel.hidden = !instead
    write(parts.heading, instead ? `In the place of #${instead}` : "Send")
    const move = (/** @type {number} */ from, /** @type {number} */ to) => {
        batch.splice(to, 0, ...batch.splice(from, 1))
        showBatch()
    }
    parts.batch.replaceChildren(...batch.map((one, i) => make("li", "",
        make("span", "dim", `${i + 1}.`), make("code", "", `${one.type} ${masked(one)}`),
        i ? mark(button("↑", () => move(i, i - 1), "plain", "Earlier"), { "aria-label": `Move action ${i + 1} up` }) : "",
        mark(button("×", () => (batch.splice(i, 1), showBatch()), "plain", "Take out"), { "aria-label": `Take action ${i + 1} out` }))))
    write(parts.send, instead ? "Fork" : batch.length ? `Send ${batch.length + (parts.also.checked ? 1 : 0)}` : "Send")
    edited()
}

/** @param {any} one */
function masked({ type, payload }) {
    const properties = sendable().find((/** @type {any} */ other) => other.type === type)?.payload?.properties ?? {}
    return text(payload && Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, properties[name]?.writeOnly ? "***" : value])) || {})
}

function paint() {
    const { session, view } = app
    if (!session) return
    const name = session.document.store + session.id + sendable().length
    if (name !== shownKind) {
        shownKind = name
        drafts.clear()
        batch = []
        instead = 0
        action = null
        parts.types.replaceChildren(...sendable().map((/** @type {any} */ { type, summary }) => Object.assign(make("option", "", type), { title: plain(summary ?? "") })))
        for (const place of ["answer", "refusal", "preview"]) parts[place].replaceChildren()
        chooseAction(sendable()[0]?.type)
        showBatch()
    }
    write(parts.onlylabel, ` only at #${shownRevision()}`)
    if (session.revision !== triedAt) {
        // The state has changed since the dry run: it is repeated once the session rests.
        triedAt = session.revision
        clearTimeout(restless)
        restless = setTimeout(() => document.hidden || edited(), 2000)
    }
    const isOff = session.isOver || view.lock || !action
    if (parts.send.disabled !== isOff) edited()
    write(parts.why, session.isOver ? "The session has ended. This page can still read and export what it has loaded." : view.lock ? "View only: the page is locked." : "")
}

/** Focuses what is sent first. */
export const focusSend = () => (parts.types?.focus(), parts.types)

export function startSend() {
    const json = Object.assign(make("textarea"), { rows: 10, spellcheck: false, autocomplete: "off", autocapitalize: "off", id: "json" })
    const only = input({ type: "checkbox", id: "only" })
    const also = input({ type: "checkbox" })
    parts = {
        types: Object.assign(make("select"), { id: "types" }), summary: make("p", "note"), role: make("p", "note warn"), form: mark(make("form"), { id: "form", autocomplete: "off" }),
        json, jsonfield: field("JSON", json), secrets: make("form"), schema: make("pre"), only, also,
        onlylabel: make("span"), preview: mark(make("div", "preview"), { id: "preview", role: "status", "aria-label": "What would come of it" }),
        answer: mark(make("div"), { id: "answer", role: "status" }), refusal: mark(make("div", "refusal"), { id: "refusal", role: "alert" }), batch: make("ul", "batch"),
        why: make("p", "note warn"), send: mark(button("Send", send, "main", "Send (Ctrl Enter)"), { id: "dispatch" }), add: button("Add to batch", addToBatch),
        cancel: button("Cancel", () => (instead = 0, showBatch())), heading: make("h2"),
        toggle: mark(button("JSON", toggleJSON, "plain"), { id: "as-json", "aria-pressed": false }),
    }
    parts.tray = make("fieldset", "", make("legend", "", "Batch: all or none"), parts.batch,
        make("label", "field", also, " and the action above"), button("Clear the batch", () => (batch = [], showBatch())))
    const fold = mark(button("›", () => document.documentElement.classList.add("folded"), "plain", "Fold (])"), { "aria-label": "Fold the form" })
    const bar = mark(make("div", "actions", parts.send, parts.add, parts.cancel, make("span", "gap"), parts.toggle, fold), { role: "toolbar", "aria-label": "The form" })
    roving(bar)
    parts.onlyfield = make("label", "field", only, parts.onlylabel)
    $("send").append(make("div", "head", parts.heading),
        make("div", "scroll", field("Action", parts.types), parts.summary, parts.role, parts.form, parts.jsonfield, parts.secrets,
            parts.preview, parts.tray, parts.onlyfield, parts.why, parts.refusal, parts.answer,
            make("details", "", make("summary", "", "Schema of the payload"), parts.schema)),
        bar)
    parts.types.addEventListener("change", () => chooseAction(parts.types.value))
    json.addEventListener("input", edited)
    only.addEventListener("change", edited)
    also.addEventListener("change", showBatch)
    $("send").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault())
    $("send").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        send()
    })
    onChange(["session", "kinds", "view", "connection", "state"], paint)
}

/** Another session begins with an empty tray. */
export function resetSend() {
    shownKind = ""
    changed("session")
}
