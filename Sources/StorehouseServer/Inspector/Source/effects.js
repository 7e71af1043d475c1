import { app, changed } from "./app.js"
import { button, make } from "./dom.js"
import { clock } from "./log.js"
import { duration } from "./model/rates.js"
import { choose } from "./navigate.js"

const looks = /** @type {Record<string, string>} */ ({ succeeded: "good", failed: "bad", cancelled: "warn" })

/** @type {any} */
let ticking

/** @param {import("./session.js").Effect} effect */
function line(effect) {
    const time = effect.isOver ? effect.duration : Date.now() - effect.since
    const details = [effect.attempt && `attempt ${effect.attempt}`, effect.code, effect.upstream, time !== undefined && duration(time)]
    const cause = effect.cause ? button(`because of #${effect.cause}`, () => choose(effect.cause ?? null), "link") : ""
    return make("li", "effect", make("b", "", effect.effect), make("span", looks[effect.phase] ?? "", effect.phase),
        make("span", "dim", details.filter(Boolean).join(" · ")), cause)
}

/**
 * The effects of the chosen action, what they brought, and all others that this page has heard of.
 * @param {HTMLElement} place @param {import("./session.js").Session} session @param {number} revision
 */
export function paintEffects(place, session, revision) {
    const own = session.effects.filter(effect => effect.cause === revision)
    const others = session.effects.filter(effect => effect.cause !== revision)
    const brought = session.entries.visible().filter(entry => entry.cause === revision && entry.status === undefined).slice(0, 50)
    const entry = session.entries.get(revision)
    const list = (/** @type {any[]} */ items) => make("ul", "", ...items)
    const after = (/** @type {any} */ { at }) => entry ? duration(Date.parse(at) - Date.parse(entry.at)) + " later" : clock(at)
    place.replaceChildren(
        make("h2", "sub pad", `Of #${revision}`),
        own.length || brought.length ? list([...own.map(line), ...brought.map(one => make("li", "effect",
            button(`#${one.revision} ${one.type}`, () => choose(one.revision), "link"), make("span", "dim", after(one))))])
            : make("p", "pad dim", "It has started no effect that this page has heard of."),
        others.length ? make("h2", "sub pad", "Of other actions") : "", others.length ? list(others.slice(0, 50).map(line)) : "")
    clearTimeout(ticking)
    if (session.effects.some(({ isOver }) => !isOver)) ticking = setTimeout(() => app.view.tab === "effects" && changed("effects"), 500)
}
