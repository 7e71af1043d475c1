import assert from "node:assert/strict"
import { test } from "node:test"
import { withExactNumbers } from "./support/exact.js"
import { addItem, addMember, fill, formOf, parse, problemsOf, removeAt, text, valueOf } from "./support/model.js"
import { Random } from "./support/random.js"

const object = (properties, required = [], more = {}) => ({ type: "object", properties, required, additionalProperties: false, ...more })
const field = (form, label) => form.fields.find(field => field.label === label)

const address = object({ city: { type: "string" }, "": { type: ["integer", "null"] } }, ["city", ""])
const everything = object({
    title: { type: "string", description: "What is to be done.", minLength: 1, maxLength: 500 },
    due: { type: ["string", "null"], format: "date" },
    at: { type: "string", format: "date-time" },
    by: { type: "integer", minimum: 1, maximum: 1_000_000, default: 1 },
    id: { type: "integer", minimum: -(2 ** 63), maximum: 2 ** 63 },
    odds: { type: "number", minimum: 0 },
    theme: { type: "string", enum: ["system", "light"] },
    mood: { type: ["string", "null"], enum: ["good", null] },
    isDone: { type: "boolean" },
    password: { type: "string", writeOnly: true },
    names: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
    address,
    prices: { type: "object", additionalProperties: { type: "integer" } },
    rows: { type: "array", items: address },
    any: {},
    odd: { type: ["string", "integer"] },
    __proto__2: { type: "string" },
}, ["title", "id", "theme", "names", "address", "mood", "any"])

test("each schema has its kind of field", () => {
    const form = formOf(everything)
    assert.equal(form.kind, "record")
    const kinds = form.fields.map(field => `${field.label} ${field.kind}${field.field ? ` ${field.states} ${field.field.kind}` : ""}`)
    assert.deepEqual(kinds, [
        "title text", "due optional absent,null,value day", "at optional absent,value time", "by optional absent,value integer",
        "id integer", "odds optional absent,value number", "theme choice", "mood optional null,value choice",
        "isDone optional absent,value boolean", "password optional absent,value secret", "names list", "address record",
        "prices optional absent,value map", "rows optional absent,value list", "any json", "odd optional absent,value json",
        "__proto__2 optional absent,value text",
    ])
    assert.equal(field(form, "title").hint, "What is to be done. · 1 to 500 characters")
    assert.equal(field(form, "by").hint, "1 to 1000000")
    assert.equal(field(form, "id").hint, "")
    assert.equal(field(form, "odds").hint, "0 or more")
    assert.equal(field(form, "names").hint, "1 to 3 elements")
    assert.deepEqual([field(form, "due").isRequired, field(form, "due").field.isRequired], [false, true])
    assert.deepEqual(field(form, "theme").choices, ["system", "light"])
    assert.equal(field(form, "address").fields[1].pointer, "/address/")
})

/** A random value that the schema allows. */
function valueFor(schema, random) {
    const type = random.pick([schema.type ?? "any"].flat())
    if (schema.enum) return random.pick(schema.enum)
    if (type === "null") return null
    if (type === "boolean") return random.chance(0.5)
    if (type === "integer") return random.below(1000) - 500
    if (type === "number") return random.pick([0, -1.5, 1e300, 1e-7, 123])
    if (type === "string") return random.pick(["", "a", "\"'\n", "🦊", "12", "null"])
    if (type === "array") return Array.from({ length: random.below(4) }, () => valueFor(schema.items, random))
    if (type === "any") return random.value()
    if (!schema.properties) return Object.fromEntries(Array.from({ length: random.below(4) }, () => [random.key(), valueFor(schema.additionalProperties, random)]))
    const keys = Object.keys(schema.properties).filter(key => schema.required.includes(key) || random.chance(0.5))
    return Object.fromEntries(keys.map(key => [key, valueFor(schema.properties[key], random)]))
}

test("a form gives the value that it was filled with", () => {
    const form = formOf(everything)
    for (let seed = 1; seed <= 500; seed++) {
        const value = valueFor(everything, new Random(seed))
        assert.equal(fill(form, value), true, JSON.stringify(value))
        assert.deepEqual(valueOf(form), value)
        assert.deepEqual(valueOf(formOf(everything, value)), value)
        assert.deepEqual(problemsOf(form), [])
    }
})

test("a form says when it cannot show a value, and shows the rest", () => {
    const schema = object({ a: { type: "integer" }, b: { type: "string", enum: ["x"] }, c: { type: "boolean" } }, ["a"])
    const cases = [null, [], 7, {}, { a: "1" }, { a: 1, d: 2 }, { a: 1, b: "y" }, { a: 1, b: null }, { a: 1, c: 0 }, { a: 1, __proto__2: 1 }]
    for (const value of cases) assert.equal(fill(formOf(schema), value), false, JSON.stringify(value))
    const form = formOf(schema)
    fill(form, { a: 3, d: 1 })
    assert.deepEqual(valueOf(form), { a: 3 })
    assert.equal(fill(formOf({ type: "array", items: { type: "string" } }), {}), false)
    for (const value of [[1], null, { a: "x" }])
        assert.equal(fill(formOf({ type: "object", additionalProperties: { type: "integer" } }), value), false)
    assert.deepEqual(valueOf(formOf(object({ a: { type: "boolean" }, b: { type: "boolean", default: true } }, ["a", "b"]))), { a: false, b: true })
})

test("what is typed becomes a number, JSON, or stays a text with a problem", () => {
    const form = formOf(object({ a: { type: "integer" }, b: { type: "number" }, c: {} }, ["a", "b", "c"]))
    const type = (...values) => form.fields.forEach((field, i) => (field.value = values[i]))
    type("12", "-1.5e3", '{"x": [1]}')
    assert.deepEqual([valueOf(form), problemsOf(form)], [{ a: 12, b: -1500, c: { x: [1] } }, []])
    type("1.0", "0", "null")
    assert.deepEqual(valueOf(form), { a: 1, b: 0, c: null })
    type("", "1,5", "{")
    assert.deepEqual(valueOf(form), { a: "", b: "1,5", c: "{" })
    assert.deepEqual(problemsOf(form), [
        { pointer: "/a", detail: "must be an integer" }, { pointer: "/b", detail: "must be a number" }, { pointer: "/c", detail: "is not JSON" },
    ])
    for (const wrong of ["01", "0x1", " 1", "1 ", "Infinity", "NaN", "1e", "+1"]) {
        type(wrong, wrong, "1")
        assert.equal(problemsOf(form).length, 2, wrong)
    }
})

test("lists and maps grow and shrink", () => {
    const list = formOf({ type: "array", items: { type: "integer" } }, [1, 2, 3])
    removeAt(list, 1)
    addItem(list).value = "4"
    assert.deepEqual(valueOf(list), [1, 3, 4])
    assert.deepEqual(list.items.map(({ pointer, label }) => [pointer, label]), [["/0", "1"], ["/1", "2"], ["/2", "3"]])
    const map = formOf({ type: "object", additionalProperties: { type: "integer" } }, { a: 1 })
    addMember(map, "__proto__").value = "2"
    addMember(map, "x/y").value = "3"
    removeAt(map, 0)
    assert.equal(text(valueOf(map)), '{"__proto__":2,"x/y":3}')
    assert.equal(map.members[1].field.pointer, "/x~1y")
})

test("integers of 64 bits keep their digits", () => {
    withExactNumbers(() => {
        const source = '{"id":9223372036854775807,"any":[12345678901234567890]}'
        const schema = object({ id: { type: "integer" }, any: {} }, ["id", "any"])
        const form = formOf(schema)
        assert.equal(fill(form, parse(source)), true)
        assert.equal(form.fields[0].value, "9223372036854775807")
        assert.equal(text(valueOf(form)), source)
        form.fields[0].value = "-9223372036854775808"
        assert.equal(text(valueOf(form).id), "-9223372036854775808")
        assert.deepEqual(problemsOf(form), [])
    })
})

test("no schema breaks the form", () => {
    for (const schema of [undefined, null, true, {}, { type: "null" }, { $ref: "#/x" }, { oneOf: [] }, { enum: [1, "a"] }, { type: "array" }, { type: "object" }]) {
        const form = formOf(schema)
        for (const value of [null, 1, "a", [1], { a: 1 }]) if (fill(form, value)) assert.deepEqual(valueOf(form), value)
    }
})
