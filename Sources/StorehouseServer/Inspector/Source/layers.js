import { $, button, make, mark } from "./dom.js"

/**
 * Opens a dialog; Escape and its cross close it.
 * @param {string} title @param {Node[]} content @param {{wide?: boolean, closed?: () => void}} [how]
 * @returns {{element: any, close: () => void}}
 */
export function openDialog(title, content, how = {}) {
    const { wide = false, closed } = how
    const heading = make("h2", "", title)
    heading.id = "dialog-title"
    const element = mark(make("dialog", wide ? "wide" : ""), { "aria-labelledby": "dialog-title" })
    const close = () => element.close()
    const cross = mark(button("✕", close, "plain", "Close (Escape)"), { "aria-label": "Close" })
    element.append(make("div", "head", heading, cross), make("div", "inside", ...content))
    element.addEventListener("close", () => {
        element.remove()
        closed?.()
    })
    element.addEventListener("click", (/** @type {any} */ event) => event.target === element && close())
    $("layer").append(element)
    element.showModal()
    return { element, close }
}

/**
 * Opens a menu below a button.
 * @param {HTMLElement} opener @param {([string, () => void] | [string, () => void, string])[]} items and their titles
 */
export function openMenu(opener, items) {
    const menu = mark(make("div", "menu"), { role: "menu" })
    const leave = () => {
        menu.remove()
        removeEventListener("pointerdown", outside, true)
        opener.focus()
    }
    const outside = (/** @type {Event} */ event) => menu.contains(/** @type {Node} */ (event.target)) || leave()
    for (const [label, act, title = ""] of items) {
        menu.append(mark(button(label, () => (leave(), act()), "", title), { role: "menuitem", tabindex: -1 }))
    }
    menu.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        const all = /** @type {HTMLElement[]} */ ([...menu.children])
        const place = all.indexOf(/** @type {any} */ (document.activeElement))
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (by) all[(place + by + all.length) % all.length].focus()
        else if (event.key === "Escape" || event.key === "Tab") leave()
        else return
        event.preventDefault()
        event.stopPropagation()
    })
    document.querySelector("main")?.append(menu)
    const { left, bottom } = opener.getBoundingClientRect()
    menu.style.left = Math.max(8, Math.min(left, innerWidth - menu.offsetWidth - 8)) + "px"
    menu.style.top = Math.min(bottom + 4, innerHeight - menu.offsetHeight - 8) + "px"
    addEventListener("pointerdown", outside, true)
    ;/** @type {HTMLElement} */ (menu.firstChild)?.focus()
}

/** @type {any} */
let toastTimer

/**
 * Says something for some seconds.
 * @param {string} words @param {{label: string, act: () => void}} [undo] @param {number} [seconds]
 */
export function toast(words, undo, seconds = 5) {
    document.getElementById("toast")?.remove()
    clearTimeout(toastTimer)
    const box = mark(make("div", "", words), { id: "toast", role: "status" })
    if (undo) box.append(" ", button(undo.label, () => (box.remove(), undo.act())))
    document.querySelector("main")?.append(box)
    toastTimer = setTimeout(() => box.remove(), seconds * 1000)
}

/** @param {string} words @param {string} [what] */
export async function copyText(words, what = "it") {
    try {
        await navigator.clipboard.writeText(words)
        toast(`Copied ${what}.`)
    } catch {
        // Without the right to the clipboard, or over plain HTTP, it is shown to be copied by hand.
        const area = Object.assign(make("textarea"), { value: words, readOnly: true, rows: 6, ariaLabel: what })
        area.style.width = "100%"
        openDialog(`Copy ${what}`, [area])
        area.select()
    }
}

/**
 * Shows a problem of the server; null for none.
 * @param {any} problem @param {any} [place]
 */
export function tell(problem, place = $("problem")) {
    place.replaceChildren()
    if (!problem) return
    const { status, code, index, detail = `${problem}`, errors = [] } = problem
    const title = [status, code].filter(Boolean).join(" ")
    const which = index === undefined ? "" : `, action ${index + 1} of the batch`
    const faults = errors.map((/** @type {any} */ error) => make("li", "", make("code", "", error.pointer || "/"), ` ${error.detail}`))
    place.append(make("p", "", title && make("b", "bad", `${title}${which}: `), detail))
    if (faults.length) place.append(make("ul", "", ...faults))
}

/** @param {() => Promise<any>} work @param {any} [place] */
export const attempt = (work, place) => work().then(() => tell(null, place), problem => tell(problem, place))
