import { app, changed, shownRevision } from "./app.js"
import { button, input, make, mark, VirtualList, write } from "./dom.js"
import { copyText } from "./layers.js"
import { Tree } from "./model/tree.js"
import { search } from "./model/search.js"
import { find, isTree, text } from "./model/values.js"

/** The state as a tree of which only the rows in sight are elements. */
export class TreeView {
    constructor() {
        this.tree = new Tree()
        /** @type {string} */
        this.chosen = ""
        /** @type {any} the state that is shown */
        this.state = undefined
        /** @type {Set<string>} */
        this.changed = new Set()
        this.room = make("div")
        this.element = mark(make("div", "tree", this.room), { role: "tree", tabindex: 0, "aria-label": "State" })
        /** @type {import("./model/tree.js").Row[]} the rows in sight */
        this.near = []
        this.list = new VirtualList(this.element, this.room, {
            count: () => (this.near = [], this.tree.length), key: index => this.nearby(index).pointer, draw: (row, index) => this.draw(row, index),
        })
        this.list.onscroll = () => changed("state")
        this.room.addEventListener("click", (/** @type {any} */ event) => {
            const row = event.target.closest(".row")
            if (!row) return
            this.choose(row.pointer)
            if (event.target.closest(".twist, .key") || event.detail > 1) this.toggle(row.pointer)
        })
        this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.press(event))
    }

    /** @param {number} index */
    rowAt(index) {
        return this.tree.rows(index, 1)[0]
    }

    /**
     * To find one row takes as long as to find all in sight.
     * @param {number} index
     */
    nearby(index) {
        if (!this.near[index]) this.tree.rows(index, 60).forEach((row, i) => (this.near[index + i] = row))
        return this.near[index]
    }

    /**
     * @param {any} state @param {Iterable<string>} marked pointers that are shown as changed
     * @param {Iterable<string>} [touched] all that differs from the state before, if that is known
     */
    set(state, marked, touched) {
        if (state !== this.state) this.tree.set(state, touched ? [...touched] : undefined)
        this.state = state
        this.changed = new Set()
        for (const pointer of marked) for (let at = pointer; at; at = at.slice(0, at.lastIndexOf("/"))) this.changed.add(at)
    }

    paint() {
        this.list.paint()
        mark(this.element, { "aria-activedescendant": this.list.shown.has(this.chosen) ? "node" + this.chosen : null })
    }

    /** @param {any} row @param {number} index */
    draw(row, index) {
        const { pointer, depth, key, value, summary, isOpen, count, position, siblings } = this.nearby(index)
        if (!row.firstChild) row.append(make("span", "twist"), make("span", "key"), make("span", "body"), make("span", "sign"))
        const [twist, name, body, sign] = row.children
        const isChanged = this.changed.has(pointer)
        row.pointer = pointer
        row.classList.toggle("changed", isChanged)
        body.classList.toggle("value", count === undefined)
        mark(row, {
            role: "treeitem", id: "node" + pointer, "aria-level": depth + 1, "aria-posinset": position, "aria-setsize": siblings, "aria-selected": pointer === this.chosen,
            "aria-expanded": count === undefined ? null : isOpen,
        })
        row.style.paddingLeft = 8 + Math.min(depth, 12) * 14 + "px"
        write(twist, count === undefined ? "" : isOpen ? "▾" : "▸")
        write(name, pointer ? key : "state")
        write(body, count === undefined ? text(value).slice(0, 1000) : summary ?? "")
        write(sign, isChanged ? "~" : "")
    }

    /** @param {string} pointer */
    toggle(pointer) {
        this.tree.toggle(pointer)
        changed("state")
    }

    /** @param {string} pointer */
    choose(pointer) {
        this.chosen = pointer
        changed("state")
    }

    /**
     * Opens what is around it, and scrolls there.
     * @param {string} pointer @param {boolean} [isChosen]
     */
    reveal(pointer, isChosen = false) {
        this.tree.reveal(pointer)
        const index = this.tree.indexOf(pointer)
        if (isChosen) this.choose(pointer)
        if (index < 0) return
        this.list.reveal(index, 1 / 3)
    }

    /** @param {KeyboardEvent} event */
    press(event) {
        const index = Math.max(0, this.tree.indexOf(this.chosen))
        const row = this.rowAt(index)
        const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -index, End: this.tree.length }[event.key]
        if (by !== undefined) {
            const next = Math.max(0, Math.min(this.tree.length - 1, index + by))
            this.choose(this.rowAt(next).pointer)
            this.list.reveal(next)
        } else if (event.key === "ArrowRight" || event.key === "ArrowLeft" || event.key === "Enter") {
            const opens = event.key === "ArrowRight" || event.key === "Enter" && !row.isOpen
            if (row.count !== undefined && row.isOpen !== opens) this.toggle(row.pointer)
            else if (event.key === "ArrowLeft") this.choose(row.pointer.slice(0, Math.max(0, row.pointer.lastIndexOf("/"))))
            else return
        } else return
        event.preventDefault()
        event.stopPropagation()
    }
}

/**
 * The search field of a tree: Enter goes on to the next match.
 * @param {TreeView} view
 */
export function searchField(view) {
    const box = input({ type: "search", placeholder: "Search keys and values", ariaLabel: "Search the state" })
    const count = mark(make("span", "note"), { role: "status" })
    /** @type {string[]} */
    let found = []
    let place = 0
    let running = 0
    const show = () => {
        write(count, box.value ? `${found.length ? place + 1 : 0} of ${found.length}` : "")
        if (found[place] !== undefined) view.reveal(found[place], true)
    }
    const start = () => {
        const mine = ++running
        found = []
        place = 0
        const steps = search(view.state, box.value, 1000)
        const next = () => {
            if (mine !== running) return
            const { done, value } = box.value ? steps.next() : { done: true, value: undefined }
            if (value) found.push(...value)
            if (done) return show()
            setTimeout(next)
        }
        next()
    }
    box.addEventListener("input", start)
    box.addEventListener("keydown", event => {
        if (event.key !== "Enter" || !found.length) return
        event.preventDefault()
        place = (place + (event.shiftKey ? -1 : 1) + found.length) % found.length
        show()
    })
    return { box, element: make("div", "tools", box, count) }
}

/**
 * The path of the chosen row, to copy or to watch.
 * @param {TreeView} view @param {(pointer: string) => void} pin
 */
export function pathBar(view, pin) {
    const path = make("code")
    const element = make("div", "pathbar", path,
        button("Copy path", () => copyText(view.chosen || "/", "the path"), "", "Copy the JSON Pointer"),
        button("Copy value", () => copyText(JSON.stringify(find(view.state, view.chosen), null, 2), "the value")),
        button("select=", () => copyText(`select=${encodeURIComponent(view.chosen)}`, "the query"), "", "Copy as a query of the API"),
        button("Pin", () => pin(view.chosen), "", "Watch this value"))
    return { element, paint: () => write(path, view.chosen || "/") }
}

const mostPoints = 120

/** Values that are watched, each with a line of its last revisions. */
export class Pins {
    constructor() {
        this.element = make("ul", "pins")
        /** @type {Map<string, {item: any, canvas: any, value: any}>} */
        this.pins = new Map()
    }

    /** @param {string} pointer */
    toggle(pointer) {
        const known = this.pins.get(pointer)
        if (known) {
            known.item.remove()
            return void this.pins.delete(pointer)
        }
        const [canvas, value] = [make("canvas"), make("span", "value")]
        mark(canvas, { role: "img", "aria-label": "the last values of " + (pointer || "/") })
        const item = make("li", "", make("code", "", pointer || "/"), canvas, value, button("×", () => this.toggle(pointer), "plain", "Unpin"))
        item.lastChild.setAttribute("aria-label", "Unpin " + pointer)
        this.pins.set(pointer, { item, canvas, value })
        this.element.append(item)
        changed("state")
    }

    clear() {
        this.pins.clear()
        this.element.replaceChildren()
    }

    paint() {
        const { session } = app
        if (!session) return
        const shown = shownRevision()
        for (const [pointer, { canvas, value }] of this.pins) {
            const points = []
            for (let at = Math.max(0, shown - mostPoints + 1); at <= shown; at++) {
                if (at !== session.revision && !session.travel.has(at)) continue
                const found = find(session.stateAt(at).state, pointer)
                points.push(isTree(found) ? Object.keys(found).length : Number(found))
            }
            const now = find(session.stateAt(shown).state, pointer)
            write(value, isTree(now) ? `${Object.keys(now).length} members` : text(now).slice(0, 40))
            drawLine(canvas, points.filter(Number.isFinite))
        }
    }
}

/** @param {HTMLCanvasElement} canvas @param {number[]} points */
function drawLine(canvas, points) {
    const [width, height] = [120, 24]
    Object.assign(canvas, { width: width * 2, height: height * 2 })
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"))
    context.scale(2, 2)
    context.strokeStyle = getComputedStyle(canvas).getPropertyValue("--accent")
    context.lineWidth = 1.5
    const low = Math.min(...points)
    const span = Math.max(...points) - low || 1
    points.forEach((point, i) => {
        const x = points.length > 1 ? i * (width - 4) / (points.length - 1) + 2 : width / 2
        const y = height - 3 - (point - low) / span * (height - 6)
        if (i) context.lineTo(x, y)
        else context.moveTo(x, y)
    })
    context.stroke()
}
