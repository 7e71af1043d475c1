import { button, field as labelled, input, make, mark } from "./dom.js"
import { addItem, addMember, removeAt } from "./model/form.js"

/** @typedef {import("./model/form.js").Field} Field */

/**
 * Shows a form, and keeps it up to date with what is typed.
 * @param {HTMLElement} place @param {Field} form @param {() => void} edited
 */
export function showForm(place, form, edited) {
    const again = () => {
        const at = /** @type {any} */ (document.activeElement)?.dataset?.pointer
        showForm(place, form, edited)
        if (at !== undefined) /** @type {any} */ (place.querySelector(`[data-pointer="${CSS.escape(at)}"]`))?.focus()
        edited()
    }
    place.replaceChildren(...controls(form, form.label, edited, again))
}

/** @param {Field} form @param {string} label @param {() => void} edited @param {() => void} again @returns {Node[]} */
function controls(form, label, edited, again) {
    const { kind } = form
    if (kind === "record") {
        const inner = (form.fields ?? []).flatMap(one => controls(one, one.label, edited, again))
        return form.pointer ? [group(label, form, inner)] : inner
    }
    if (kind === "optional") return optional(form, label, edited, again)
    if (kind === "list") return [listOf(form, label, edited, again)]
    if (kind === "map") return [mapOf(form, label, edited, again)]
    return [leaf(form, label, edited)]
}

/** @param {string} label @param {Field} form @param {Node[]} inner */
const group = (label, form, inner) =>
    make("fieldset", "", make("legend", "", label), form.hint && make("p", "note", form.hint), ...inner)

const types = /** @type {Record<string, string>} */ ({ day: "date", secret: "password" })

/** @param {Field} form @param {string} label @param {() => void} edited @returns {HTMLElement} */
function leaf(form, label, edited) {
    const control = controlOf(form)
    control.dataset.pointer = form.pointer
    const isBoolean = form.kind === "boolean"
    control.addEventListener(isBoolean || form.kind === "choice" ? "change" : "input", () => {
        form.value = isBoolean ? control.checked : control.value
        edited()
    })
    const element = isBoolean
        ? make("label", "field", control, " ", label, form.hint && make("span", "hint", form.hint))
        : labelled(form.kind === "secret" ? `${label}, a secret` : label, control, form.hint)
    element.dataset.field = form.pointer
    return element
}

/** @param {Field} form @returns {any} */
function controlOf(form) {
    if (form.kind === "choice") {
        const select = make("select", "", ...(form.choices ?? []).map(choice => make("option", "", choice)))
        select.value = form.value
        return select
    }
    if (form.kind === "json") {
        return Object.assign(make("textarea"), { rows: 3, value: form.value, spellcheck: false, autocomplete: "off" })
    }
    if (form.kind === "boolean") return input({ type: "checkbox", checked: form.value })
    const isNumber = form.kind === "integer" || form.kind === "number"
    return input({ type: types[form.kind] ?? "text", value: form.value, inputMode: isNumber ? "decimal" : "" })
}

const states = { absent: "leave it out", null: "null", value: "a value" }

/** @param {Field} form @param {string} label @param {() => void} edited @param {() => void} again */
function optional(form, label, edited, again) {
    const inner = /** @type {Field} */ (form.field)
    const isPlain = !["record", "list", "map", "json", "boolean", "choice"].includes(inner.kind) && form.states?.length === 2 && form.states[0] === "absent"
    if (isPlain) return [plainOptional(form, inner, label, edited)]
    const select = make("select", "", ...(form.states ?? []).map(state => Object.assign(make("option", "", states[state]), { value: state })))
    select.value = form.state
    select.dataset.pointer = form.pointer + "?"
    select.addEventListener("change", () => {
        form.state = select.value
        again()
    })
    const choice = labelled(`${label}, optional`, select, form.state === "value" ? "" : form.hint)
    return form.state === "value" ? [choice, ...controls(inner, label, edited, again)] : [choice]
}

/**
 * An empty text leaves the member out.
 * @param {Field} form @param {Field} inner @param {string} label @param {() => void} edited
 */
function plainOptional(form, inner, label, edited) {
    const control = controlOf(form.state === "value" ? inner : { ...inner, value: "" })
    control.dataset.pointer = form.pointer
    control.placeholder = "left out"
    control.addEventListener("input", () => {
        inner.value = control.value
        form.state = control.value === "" ? "absent" : "value"
        edited()
    })
    const element = labelled(`${label}, optional`, control, form.hint)
    element.dataset.field = form.pointer
    return element
}

/** @param {Field} form @param {string} label @param {() => void} edited @param {() => void} again */
function listOf(form, label, edited, again) {
    const items = (form.items ?? []).map((item, i) => make("div", "",
        ...controls(item, `${label} ${i + 1}`, edited, again), button("Remove", () => (removeAt(form, i), again()), "", `Remove ${label} ${i + 1}`)))
    return group(label, form, [...items, button(`Add to ${label}`, () => (addItem(form), again()))])
}

/** @param {Field} form @param {string} label @param {() => void} edited @param {() => void} again */
function mapOf(form, label, edited, again) {
    const members = (form.members ?? []).map(({ key, field }, i) => make("div", "",
        ...controls(field, key, edited, again), button("Remove", () => (removeAt(form, i), again()), "", `Remove ${key}`)))
    const name = input({ placeholder: "key", ariaLabel: `A key for ${label}` })
    const add = button(`Add to ${label}`, () => name.value && (addMember(form, name.value), again()))
    return group(label, form, [...members, make("div", "line", name, add)])
}

/**
 * Shows what is wrong at its field.
 * @param {HTMLElement} place @param {{pointer: string, detail: string}[]} faults
 */
export function showFaults(place, faults) {
    for (const old of place.querySelectorAll(".fault")) old.remove()
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("[data-field]"))) {
        const own = faults.find(({ pointer }) => pointer.replace(/^(\/replay\/replace\/\d+)?\/payload/, "") === element.dataset.field)
        mark(element, { "data-fault": own ? "" : null })
        mark(element.querySelector("input, select, textarea"), { "aria-invalid": own ? true : null })
        if (own) element.append(make("span", "hint bad fault", own.detail))
    }
}
