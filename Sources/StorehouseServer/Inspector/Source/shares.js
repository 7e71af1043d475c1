import { app } from "./app.js"
import { $, button, field, input, make } from "./dom.js"
import { attempt, copyText, openDialog, tell } from "./layers.js"
import { shareName } from "./navigate.js"
import { ask } from "./server.js"

/** @param {string} text */
const list = text => text.split(/[\s,]+/).filter(Boolean)

/** @type {Record<string, [string, any, string?]>} */
const fields = {
    select: ["Part", { placeholder: "all, or a JSON Pointer" }],
    actions: ["Only these actions", { placeholder: "all, or their types" }],
    guest: ["Guest", { placeholder: "nobody, or an id" }, "Whose name stands in the log."],
    name: ["Name of the guest", {}], roles: ["Roles of the guest", {}], label: ["Label", {}],
}

/**
 * What the form asks for. What is empty is left out.
 * @param {Record<string, any>} boxes
 */
function wanted(boxes) {
    const value = (/** @type {string} */ name) => boxes[name].value.trim()
    const may = ["read", ...(boxes.act.checked ? ["act"] : []), ...(boxes.presence.checked ? ["presence"] : [])]
    /** @type {any} */
    const made = { may, select: value("select"), expiresIn: Number(boxes.expiry.value) }
    if (value("actions")) made.actions = list(value("actions"))
    if (value("label")) made.label = value("label")
    if (value("guest")) made.as = { id: value("guest"), roles: list(value("roles")), ...(value("name") && { name: value("name") }) }
    return made
}

/** @param {string} path @param {HTMLElement} place @param {HTMLElement} problem */
async function showShares(path, place, problem) {
    const { shares } = await ask("GET", path + "/shares")
    place.replaceChildren(...shares.map((/** @type {any} */ share) => {
        const parts = [share.label, share.as && `${share.as.name ?? "guest"} (${[share.as.id, ...share.as.roles].join(", ")})`,
            share.may.join(" and "), share.actions?.join(", "), share.select, `until ${new Date(share.expiresAt).toLocaleString()}`]
        return make("li", "line", make("span", "gap", parts.filter(Boolean).join(" · ")), button("Revoke", () => attempt(async () => {
            await ask("DELETE", `${path}/shares/${share.id}`)
            await showShares(path, place, problem)
        }, problem), "danger"))
    }))
    if (!shares.length) place.append(make("li", "dim", "There are no shares."))
}

/** @param {any} made the answer @param {HTMLElement} place */
function showLinks({ share, links, expiresAt }, place) {
    const rows = Object.entries({ page: "#" + shareName(share), ...links }).map(([name, link]) => {
        const { href } = new URL(link, document.baseURI)
        return make("li", "line", make("span", "gap", name), button(`Copy ${name}`, () => copyText(href, `the address of its ${name}`)))
    })
    place.replaceChildren(make("p", "good", `The share is made. Whoever has its addresses can use them until ${new Date(expiresAt).toLocaleString()}.`),
        make("ul", "recent", ...rows))
}

/** Makes, lists and revokes shares. */
export function openShares() {
    const { session } = app
    if (!session || session.isOver) return
    const { path } = session
    /** @type {Record<string, any>} */
    const boxes = { act: input({ type: "checkbox" }), presence: input({ type: "checkbox" }), expiry: make("select") }
    for (const [seconds, words] of [[3600, "1 hour"], [86400, "1 day"], [604800, "7 days"], [2592000, "30 days"]])
        boxes.expiry.append(Object.assign(make("option", "", words), { value: seconds }))
    for (const [name, [, properties]] of Object.entries(fields)) boxes[name] = input({ ...properties, name })
    const [problem, made, shares] = [make("div", "refusal"), make("div"), make("ul")]
    const form = make("form", "cols", ...Object.entries(fields).map(([name, [label, , hint]]) => field(label, boxes[name], hint)),
        make("label", "field", boxes.act, " may send actions"), make("label", "field", boxes.presence, " may see who watches"),
        field("Ends after", boxes.expiry), make("button", "main", "Make a share"))
    form.addEventListener("submit", (/** @type {Event} */ event) => {
        event.preventDefault()
        attempt(async () => {
            showLinks(await ask("POST", path + "/shares", wanted(boxes)), made)
            await showShares(path, shares, problem)
        }, problem)
    })
    const revoke = button("Revoke all shares", () => attempt(async () => {
        await ask("DELETE", path + "/shares")
        made.replaceChildren(make("p", "good", "All shares of this session are revoked."))
        await showShares(path, shares, problem)
    }, problem), "danger")
    tell(null, problem)
    openDialog("Shares", [make("p", "note", "A share shows a part of this session to others, without its id."), problem, form, made,
        make("h3", "", "Shares of this session"), shares, make("p", "", revoke)])
    attempt(() => showShares(path, shares, problem), problem)
}

export const startShares = () => $("shares").addEventListener("click", openShares)
