import assert from "node:assert/strict"
import { file } from "./browser.js"

/** Changes a page as a block of `diff` shows: each part between `@@` is one place. */
function changed(page, diff) {
    for (const part of diff.split(/^@@\n/m)) {
        const lines = part.trimEnd().split("\n")
        const without = sign => lines.filter(line => line[0] !== sign).map(line => line.slice(1) + "\n").join("")
        const [before, after] = [without("+"), without("-")]
        assert.equal(page.split(before).length, 2, `this is not one place of the page:\n${before}`)
        page = page.replace(before, () => after)
    }
    return page
}

/** The page that docs/clients/web.md begins with, and the one after each change there and in docs/clients/web-frameworks.md. */
export function steps() {
    const texts = ["web", "web-frameworks"].map(name => file(`../../docs/clients/${name}.md`)).join("")
    const pages = []
    for (const [, kind, text] of texts.matchAll(/^```(html|diff)[^\n]*\n(.*?)^```$/gms)) {
        if (kind === "diff") pages.push(changed(pages.at(-1), text))
        else if (!pages.length) pages.push(text)
    }
    return pages
}
