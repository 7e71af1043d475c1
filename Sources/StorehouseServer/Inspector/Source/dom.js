/** @param {string} id @returns {any} */
export const $ = id => document.getElementById(id)

/**
 * All data of the server is inserted as text.
 * @param {string} name @param {string} [look] its classes
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {any}
 */
export function make(name, look, ...children) {
    const element = document.createElement(name)
    if (look) element.className = look
    for (const child of children) if (child || child === 0) element.append(/** @type {any} */ (child))
    return element
}

/** @param {string} text @param {() => void} act @param {string} [look] @param {string} [title] @returns {HTMLButtonElement} */
export function button(text, act, look = "", title = "") {
    const made = make("button", look, text)
    Object.assign(made, { type: "button", title })
    made.addEventListener("click", act)
    return made
}

/** @param {string} label @param {any} input @param {string} [hint] @returns {HTMLLabelElement} */
export function field(label, input, hint) {
    return make("label", "field", label, input, hint && make("span", "hint", hint))
}

/** @param {Record<string, any>} [properties] @returns {HTMLInputElement} */
export const input = properties =>
    Object.assign(make("input"), { autocomplete: "off", spellcheck: false, autocapitalize: "off" }, properties)

/**
 * Changes the text only where it differs, so that nothing is painted in vain.
 * @param {any} element @param {string} text
 */
export function write(element, text) {
    if (element.textContent !== text) element.textContent = text
}

/** @param {any} element @param {Record<string, string | number | boolean | null>} attributes null takes one away */
export function mark(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null) element.removeAttribute(name)
        else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value))
    }
    return element
}

const phone = matchMedia("(max-width: 640px)")
export const isPhone = () => phone.matches

/** @type {(() => void)[]} */
const groups = []

/** Gives each group of controls its Tab stop again, where controls have come or gone. */
export const settle = () => groups.forEach(one => one())

/**
 * One Tab stop for controls that belong together: the arrows go on to the next. Tab comes back to the last one that was used,
 * or to the first.
 * @param {HTMLElement} group @param {string} [controls] a selector @param {string} [first] of the control to which Tab comes back
 */
export function roving(group, controls = "button", first) {
    const all = () => /** @type {any[]} */ ([...group.querySelectorAll(controls)]).filter(one => !one.hidden && !one.disabled)
    const stop = (/** @type {any} */ chosen) => all().forEach(one => (one.tabIndex = one === chosen ? 0 : -1))
    groups.push(() => {
        const known = all()
        const used = known.find(one => one === document.activeElement || !first && one === last) ?? known.find(one => first && one.matches(first))
        stop(used ?? known[0])
    })
    /** @type {any} */
    let last
    group.addEventListener("focusin", ({ target }) => all().includes(target) && stop(last = target))
    group.addEventListener("focusout", () => setTimeout(settle))
    group.addEventListener("keydown", event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
        const known = all().filter(one => one.checkVisibility())
        const { target } = /** @type {any} */ (event)
        const place = known.indexOf(target)
        if (!step || place < 0 || event.defaultPrevented || isInside(target, step)) return
        event.preventDefault()
        known[(place + step + known.length) % known.length].focus()
    })
}

/**
 * Whether an arrow still goes on within the text of a field.
 * @param {any} field @param {number} step
 */
const isInside = ({ value, selectionStart, selectionEnd, tagName }, step) =>
    tagName === "INPUT" && (step > 0 ? selectionEnd < value.length : selectionStart > 0)

/**
 * A list of which only the rows in sight are elements. A row is known by its key, and placed from the end of the list or from
 * its beginning, so that a new row moves no other.
 */
export class VirtualList {
    /**
     * @param {HTMLElement} scroller @param {HTMLElement} room the rows' parent
     * @param {{count: () => number, key: (index: number) => any, draw: (row: any, index: number) => void, fromEnd?: boolean}} source
     */
    constructor(scroller, room, source) {
        this.scroller = scroller
        this.room = room
        this.source = source
        /** @type {Map<any, any>} */
        this.shown = new Map()
        /** @type {any[]} rows out of sight, which show others at once: to take them out would cost more */
        this.spare = []
        this.count = 0
        /** @type {any} */
        this.resting = undefined
        // To ask an element for these makes the browser lay out the page at once.
        this.top = 0
        this.tall = 0
        scroller.addEventListener("scroll", () => {
            if (this.top === scroller.scrollTop) return // its rows are here already
            this.top = scroller.scrollTop
            this.onscroll()
        }, { passive: true })
        new ResizeObserver(() => {
            this.top = scroller.scrollTop
            this.tall = scroller.clientHeight
            this.onscroll()
        }).observe(scroller)
    }

    onscroll() {
        this.paint(false)
    }

    get height() {
        return isPhone() ? 44 : 24
    }

    /** @param {boolean} [isNew] whether what the rows show may have changed */
    paint(isNew = true) {
        const { source, scroller, height, top, tall } = this
        const count = source.count()
        if (count !== this.count || height !== this.rowHeight) {
            this.room.style.height = count * height + "px"
            this.count = count
            this.rowHeight = height
        }
        const first = Math.max(0, Math.floor(top / height) - 4)
        const last = Math.min(count, Math.ceil((top + tall) / height) + 4)
        const wanted = new Map()
        for (let index = first; index < last; index++) wanted.set(source.key(index), index)
        for (const [key, row] of this.shown) {
            if (wanted.has(key)) continue
            this.shown.delete(key)
            this.spare.push(row)
        }
        for (const [key, index] of wanted) this.#show(key, index, count, isNew)
        for (const row of this.spare.splice(0)) row.remove()
        clearTimeout(this.resting)
        if (isNew) this.order()
        else this.resting = setTimeout(() => this.order(), 300)
        if (this.isMoved) scroller.scrollTop = top
        this.isMoved = false
    }

    /**
     * Readers of the screen go by the order of the elements, which may wait until the list rests. Only what is out of place is moved,
     * since the browser lays that out anew.
     */
    order() {
        /** @type {any} */
        let next = this.room.firstChild
        for (const row of this.shown.values()) {
            if (row === next) next = next.nextSibling
            else this.room.insertBefore(row, next)
        }
    }

    /** @param {any} key @param {number} index @param {number} count @param {boolean} isNew */
    #show(key, index, count, isNew) {
        let row = this.shown.get(key)
        const isFresh = !row
        row ??= this.spare.shift() ?? make("div", "row")
        this.shown.delete(key) // so that they stand in the order of the list
        this.shown.set(key, row)
        const { fromEnd } = this.source
        const at = (fromEnd ? count - 1 - index : index) * this.height
        if (row.at !== at || isFresh) {
            row.style[fromEnd ? "bottom" : "top"] = at + "px"
            row.at = at
        }
        if (isNew || isFresh) this.source.draw(row, index)
        if (!row.parentNode) this.room.append(row)
    }

    /**
     * Scrolls when it is painted next: the browser lays out the page at once, so all rows should be there.
     * @param {number} top
     */
    scrollTo(top) {
        this.top = Math.max(0, top)
        this.isMoved = true
    }

    /**
     * Scrolls to a row, if it is not in sight.
     * @param {number} index @param {number} [part] of what is in sight above it
     */
    reveal(index, part) {
        const { height, top, tall } = this
        const at = index * height
        if (at >= top && at + height <= top + tall) return
        this.scrollTo(part !== undefined ? at - tall * part : at < top ? at : at + height - tall)
    }
}
