import { readFileSync } from "node:fs"

const umd = name => readFileSync(`/usr/share/nodejs/${name}/umd/${name}.production.min.js`, "utf8")

/** Debian's copies of the modules that a page imports from a public server. */
export const modules = {
    "/react.js": () => umd("react") + "\nexport const { createElement, memo, useRef, useSyncExternalStore } = self.React\n",
    "/react-dom.js": () => 'import "/react.js"\n' + umd("react-dom") + "\nexport const { createRoot } = self.ReactDOM\n",
}

/** @param {string} page that imports React from a public server */
export const withLocalReact = page =>
    page.replace(/https:\/\/esm.sh\/react@[^"]*/, "/react.js").replace(/https:\/\/esm.sh\/react-dom@[^"]*/, "/react-dom.js")
