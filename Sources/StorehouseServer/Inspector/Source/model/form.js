import { below, integer, isRaw, isTree, member, parse, text } from "./values.js"

/** @typedef {any} Schema a JSON Schema of `GET /stores` */
/** @typedef {"text" | "number" | "integer" | "boolean" | "choice" | "day" | "time" | "secret" | "json"} Leaf */
/** @typedef {Leaf | "list" | "record" | "map" | "optional"} Kind */
/** @typedef {"absent" | "null" | "value"} State */
/**
 * A field of a form. Which members it has besides the first ones depends on its kind; the page may set `value`, `state`, and
 * what a list or a map contains.
 * @typedef {object} Field
 * @property {Kind} kind
 * @property {string} pointer
 * @property {string} label
 * @property {boolean} isRequired
 * @property {string} hint
 * @property {Schema} schema
 * @property {any} [value] a boolean, or the text that is typed
 * @property {string[]} [choices] of a choice
 * @property {Field[]} [fields] of a record
 * @property {Field[]} [items] of a list
 * @property {{key: string, field: Field}[]} [members] of a map
 * @property {State[]} [states] of an optional one
 * @property {State} [state]
 * @property {Field} [field] of an optional one: that of its value
 */

/**
 * The form of a payload.
 * @param {Schema} schema @param {any} [example] the payload that it shows first
 * @returns {Field}
 */
export function formOf(schema, example) {
    const form = make(isTree(schema) ? schema : {}, "", "", true)
    if (example !== undefined) fill(form, example)
    return form
}

/** @param {Schema} schema @param {string} pointer @param {string} label @param {boolean} isRequired @returns {Field} */
function make(schema, pointer, label, isRequired) {
    const types = [schema.type].flat()
    const common = { pointer, label, isRequired, hint: hintOf(schema), schema }
    const isNullable = types.includes("null")
    if (isRequired && !isNullable) return { ...common, ...contentOf(schema, types, pointer) }
    /** @type {State[]} */
    const states = ["value"]
    if (isNullable) states.unshift("null")
    if (!isRequired) states.unshift("absent")
    const field = { ...common, isRequired: true, ...contentOf(schema, types, pointer) }
    return { ...common, kind: "optional", states, state: states[0], field }
}

/** @param {Schema} schema @param {string[]} types @param {string} pointer @returns {Pick<Field, "kind"> & Partial<Field>} */
function contentOf(schema, types, pointer) {
    const [type, other] = types.filter(type => type !== "null")
    if (!other && schema.enum?.every((/** @type {any} */ choice) => choice === null || typeof choice === "string")) {
        const choices = schema.enum.filter((/** @type {any} */ choice) => choice !== null)
        return { kind: "choice", choices, value: choices[0] ?? "" }
    }
    const isOdd = ["$ref", "oneOf", "anyOf", "allOf", "enum"].some(keyword => keyword in schema)
    if (other || isOdd) return { kind: "json", value: "null" }
    if (type === "boolean") return { kind: "boolean", value: schema.default ?? false }
    if (type === "integer" || type === "number") return { kind: type, value: text(schema.default ?? "").replaceAll('"', "") }
    if (type === "string") return { kind: kindOfText(schema), value: schema.default ?? "" }
    if (type === "array" && isTree(schema.items)) return { kind: "list", items: [] }
    if (type === "object" && isTree(schema.properties)) return { kind: "record", fields: fieldsOf(schema, pointer) }
    if (type === "object" && isTree(schema.additionalProperties)) return { kind: "map", members: [] }
    return { kind: "json", value: "null" }
}

/** @param {Schema} schema */
function kindOfText({ writeOnly, format }) {
    if (writeOnly) return "secret"
    return format === "date" ? "day" : format === "date-time" ? "time" : "text"
}

/** @param {Schema} schema @param {string} pointer @returns {Field[]} */
const fieldsOf = ({ properties, required = [] }, pointer) =>
    Object.keys(properties).map(key => make(properties[key], below(pointer, key), key, required.includes(key)))

/**
 * Adds an empty element to a list.
 * @param {Field} list @returns {Field}
 */
export function addItem(list) {
    const { items = [], pointer, schema } = list
    const item = make(schema.items, below(pointer, items.length), String(items.length + 1), true)
    list.items = [...items, item]
    return item
}

/**
 * Adds an empty member to a map.
 * @param {Field} map @param {string} key @returns {Field}
 */
export function addMember(map, key) {
    const field = make(map.schema.additionalProperties, below(map.pointer, key), key, true)
    map.members = [...(map.members ?? []), { key, field }]
    return field
}

/**
 * Removes an element or a member.
 * @param {Field} field a list or a map @param {number} index
 */
export function removeAt(field, index) {
    if (field.kind === "map") field.members = field.members?.filter((_, i) => i !== index)
    else {
        const kept = (field.items ?? []).filter((_, i) => i !== index).map(valueOf)
        field.items = []
        for (const value of kept) fill(addItem(field), value)
    }
}

/**
 * The value that is typed; undefined if it is absent. A text that cannot be what is wanted stays a text, so that the server
 * says what is wrong with it.
 * @param {Field} form @returns {any}
 */
export function valueOf(form) {
    const { kind, value } = form
    if (kind === "optional" && form.state === "value") return valueOf(/** @type {Field} */ (form.field))
    if (kind === "optional") return form.state === "null" ? null : undefined
    if (kind === "list") return (form.items ?? []).map(valueOf)
    if (kind === "record") return objectOf((form.fields ?? []).map(field => [field.label, valueOf(field)]))
    if (kind === "map") return objectOf((form.members ?? []).map(({ key, field }) => [key, valueOf(field)]))
    if (kind === "integer") return /^-?(0|[1-9]\d*)$/.test(value) ? integer(value) : numberIn(value)
    if (kind === "number") return numberIn(value)
    const json = kind === "json" ? parsed(value) : undefined
    return json === undefined ? value : json
}

/** @param {[string, any][]} members */
const objectOf = members => Object.fromEntries(members.filter(([, value]) => value !== undefined))

/** @param {string} value */
const numberIn = value => (/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? parse(value) : value)

/** @param {string} source @returns {any} undefined if it is no JSON */
function parsed(source) {
    try {
        return parse(source)
    } catch {
        return undefined
    }
}

/**
 * Shows a value.
 * @param {Field} form @param {any} value @returns {boolean} whether all of it is shown; otherwise it needs to be typed as JSON
 */
export function fill(form, value) {
    const { kind } = form
    if (kind === "optional") return fillOptional(form, value)
    if (kind === "record") return fillRecord(form, value)
    if (kind === "list") {
        form.items = []
        return Array.isArray(value) && value.map(item => fill(addItem(form), item)).every(Boolean)
    }
    if (kind === "map") {
        form.members = []
        const isMap = isTree(value) && !Array.isArray(value)
        return isMap && Object.keys(value).map(key => fill(addMember(form, key), value[key])).every(Boolean)
    }
    if (kind === "json") form.value = text(value, 2)
    else if (kind === "boolean") form.value = value === true
    else if (kind === "integer" || kind === "number") {
        if (typeof value !== "number" && !isRaw(value)) return false
        form.value = text(value)
    } else {
        if (typeof value !== "string" || (kind === "choice" && !form.choices?.includes(value))) return false
        form.value = value
    }
    return kind !== "boolean" || typeof value === "boolean"
}

/** @param {Field} form @param {any} value */
function fillOptional(form, value) {
    const states = form.states ?? []
    const state = value === undefined ? "absent" : value === null ? "null" : "value"
    form.state = states.includes(state) ? state : "value"
    if (form.state !== "value") return true
    return value !== undefined && fill(/** @type {Field} */ (form.field), value)
}

/** @param {Field} form @param {any} value */
function fillRecord(form, value) {
    if (!isTree(value) || Array.isArray(value)) return false
    const fields = form.fields ?? []
    const areShown = fields.map(field => {
        const found = member(value, field.label)
        return found === undefined && field.kind !== "optional" ? false : fill(field, found)
    })
    return areShown.every(Boolean) && Object.keys(value).every(key => fields.some(({ label }) => label === key))
}

/** @param {Field} form @returns {{pointer: string, detail: string}[]} texts that cannot be what is wanted */
export function problemsOf(form) {
    const { kind, value, pointer } = form
    if (kind === "optional") return form.state === "value" ? problemsOf(/** @type {Field} */ (form.field)) : []
    const inner = [...(form.fields ?? []), ...(form.items ?? []), ...(form.members ?? []).map(({ field }) => field)]
    if (kind === "json" && parsed(value) === undefined) return [{ pointer, detail: "is not JSON" }]
    if (kind === "integer" || kind === "number") {
        const detail = kind === "integer" ? "must be an integer" : "must be a number"
        if (typeof valueOf(form) === "string") return [{ pointer, detail }]
    }
    return inner.flatMap(problemsOf)
}

/** @param {Schema} schema @returns {string} its description and its bounds */
function hintOf({ description = "", minimum, maximum, ...schema }) {
    const bounds = [
        range(visible(minimum), visible(maximum), ""), range(schema.minLength, schema.maxLength, " characters"),
        range(schema.minItems, schema.maxItems, " elements"), range(schema.minProperties, schema.maxProperties, " members"),
    ]
    return [description, ...bounds].filter(Boolean).join(" · ")
}

/**
 * A bound of all 64-bit integers says nothing.
 * @param {any} bound
 */
const visible = bound => (Math.abs(Number(isRaw(bound) ? bound.rawJSON : bound)) >= 2 ** 62 ? undefined : bound)

/** @param {number | undefined} low @param {number | undefined} high @param {string} unit */
function range(low, high, unit) {
    if (low === high) return low === undefined ? "" : `${low}${unit}`
    if (high === undefined) return `${low} or more${unit}`
    return low ? `${low} to ${high}${unit}` : unit || low === undefined ? `at most ${high}${unit}` : `${low} to ${high}`
}
