import { app, changed, onChange, shownRevision } from "./app.js"
import { $, mark, roving, write } from "./dom.js"
import { tell, toast } from "./layers.js"
import { buckets, placeOf, playback, revisionAt } from "./model/buckets.js"
import { grouped } from "./model/rates.js"
import { choose, look, step } from "./navigate.js"

/** @typedef {import("./model/buckets.js").Bucket} Bucket */

/** @type {Bucket[]} */
let bars = []
let drawn = ""
let drawnAt = 0
let width = 0
let height = 0
/** @type {any} */
let redraw
/** @type {{stop: () => void} | null} */
let playing = null

const colours = /** @type {Record<string, string>} */ ({ client: "--accent", effect: "--value", middleware: "--edit", timer: "--add", system: "--dim" })

function paint() {
    const { session, view } = app
    if (!session) return
    const revision = shownRevision()
    const { entries } = session
    const key = `${entries.newest} ${entries.size} ${session.refused.length} ${width} ${height} ${document.documentElement.dataset.theme}`
    const now = performance.now()
    if (key !== drawn) {
        // All entries are counted again, so a long log is drawn less often.
        const pause = entries.size > 1000 ? 500 : entries.size > 100 ? 200 : 0
        clearTimeout(redraw)
        if (now - drawnAt >= pause) {
            drawn = key
            drawnAt = now
            draw(session)
        } else redraw = setTimeout(() => changed("log"), pause)
    }
    const place = (/** @type {number} */ at) => `translateX(${Math.round(placeOf(bars, width, at)) - 1}px)`
    $("handle").style.transform = place(revision)
    $("mark").hidden = view.b === null
    if (view.b !== null) $("mark").style.transform = place(view.b)
    mark($("slider"), { "aria-valuemin": bars[0]?.from ?? 0, "aria-valuemax": session.revision, "aria-valuenow": revision,
        "aria-valuetext": `revision ${revision}${view.at === null ? ", the newest" : ""}` })
    if (document.activeElement !== $("jump")) $("jump").value = "#" + grouped(revision)
    mark($("now"), { "aria-pressed": view.at === null })
    mark($("play"), { "aria-pressed": !!playing, "aria-label": playing ? "Stop playing" : "Play" })
    write($("play"), playing ? "■" : "▶")
}

/** @param {import("./session.js").Session} session */
function draw(session) {
    const canvas = $("bars")
    const context = canvas.getContext("2d")
    context.clearRect(0, 0, width, height)
    const failures = session.effects.filter(({ phase, cause }) => phase === "failed" && cause).map(({ cause }) => ({ cause: cause ?? 0 }))
    bars = buckets(session.entries.visible(), Math.max(1, Math.floor(width / 4)), failures)
    const style = getComputedStyle(canvas)
    /** @type {Record<string, string>} */
    const known = {} // to ask the browser takes a millisecond for all bars
    const colour = (/** @type {string} */ name) => known[name] ??= style.getPropertyValue(name)
    const largest = Math.max(1, ...bars.map(({ count }) => count))
    const span = width / Math.max(1, bars.length)
    const thick = Math.max(1, Math.min(10, span - 1))
    context.globalAlpha = 0.75
    bars.forEach((bar, i) => {
        const left = (i + 0.5) * span - thick / 2
        let bottom = height - 2
        for (const [origin, count] of Object.entries(bar.origins)) {
            const high = Math.max(1, count / largest * (height - 9))
            context.fillStyle = colour(colours[origin] ?? "--dim")
            context.fillRect(left, bottom - high, thick, high)
            bottom -= high
        }
        context.fillStyle = colour("--del")
        if (bar.refusals) context.fillRect(left, 0, Math.max(2, thick), 3)
        if (bar.failures) context.fillRect(left, 4, Math.max(2, thick), 3)
    })
}

/** @param {PointerEvent} event */
function drag(event) {
    const { session } = app
    if (!session || !bars.length || event.buttons !== 1 && event.type === "pointermove") return
    const { left } = $("slider").getBoundingClientRect()
    const revision = revisionAt(bars, width, event.clientX - left)
    stopPlaying()
    if (event.shiftKey) return look({ b: revision })
    choose(revision >= session.entries.newest ? null : revision, { isStep: event.type === "pointermove" })
}

export function stopPlaying() {
    playing?.stop()
    playing = null
    changed("view")
}

/** Plays the log from the shown revision; from the beginning if that is the newest one. It is read up to there before. */
export async function togglePlay() {
    const { session, view: { at } } = app
    if (playing || !session) return stopPlaying()
    const mine = (playing = { stop() {} })
    changed("view")
    await session.whole(size => toast(`${size} actions read`), at === null ? 1 : at + 1).catch(tell)
    if (playing !== mine || session !== app.session) return
    const pace = Number($("pace").value)
    const from = at ?? 0
    const steps = playback(session.entries.visible(), { speed: pace || Infinity, from })
    let place = 0
    /** @type {any} */
    let timer
    const next = () => {
        const one = steps[place++]
        if (!one || session !== app.session || session.isClosed) return stopPlaying()
        const show = () => {
            choose(one.revision, { isStep: true })
            next()
        }
        timer = one.delay >= 1 ? setTimeout(show, one.delay) : requestAnimationFrame(show)
    }
    mine.stop = () => (clearTimeout(timer), cancelAnimationFrame(timer))
    next()
}

export function startTimeline() {
    roving($("time"), "button, select, input, #slider")
    new ResizeObserver(([{ contentRect }]) => {
        ({ width, height } = contentRect)
        // Not with each drawing, since the browser lays it out anew even for the same size.
        const canvas = $("bars"), ratio = devicePixelRatio
        Object.assign(canvas, { width: width * ratio, height: height * ratio })
        canvas.getContext("2d").scale(ratio, ratio)
        drawnAt = 0
        changed("log")
    }).observe($("slider"))
    $("back").addEventListener("click", () => step(-1))
    $("forth").addEventListener("click", () => step(1))
    $("play").addEventListener("click", togglePlay)
    $("now").addEventListener("click", () => (stopPlaying(), choose(null)))
    $("slider").addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
        $("slider").setPointerCapture(event.pointerId)
        drag(event)
    })
    $("slider").addEventListener("pointermove", drag)
    $("slider").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 20, PageDown: -20 }[event.key]
        if (event.key === "Home") choose(app.session?.entries.oldest ?? 0)
        else if (event.key === "End") choose(null)
        else if (by) step(by)
        else return
        event.preventDefault()
    })
    $("jump").addEventListener("focus", () => $("jump").select())
    $("jump").addEventListener("change", () => {
        const wanted = $("jump").value.replace(/\D/g, "")
        if (wanted) choose(Number(wanted))
        $("jump").blur()
    })
    onChange(["session", "log", "view", "state", "refused", "effects"], paint)
}
