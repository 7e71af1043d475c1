// Node 20 keeps no digits of large integers, as browsers do: this gives it the two functions of JSON that the inspector uses.

class RawJSON {
    constructor(source) {
        this.rawJSON = source
    }
}

/** Runs with `JSON.rawJSON`, whatever the version of Node. */
export function withExactNumbers(run) {
    const { stringify, parse } = JSON
    if (JSON.rawJSON) return run()
    const marks = []
    JSON.rawJSON = source => Object.freeze(new RawJSON(source))
    JSON.isRawJSON = value => value instanceof RawJSON
    const mark = (_, value) => (value instanceof RawJSON ? `\u0001${marks.push(value.rawJSON) - 1}\u0001` : value)
    JSON.stringify = (value, _, indent) => stringify(value, mark, indent)?.replace(/"\\u0001(\d+)\\u0001"/g, (_, i) => marks[i])
    JSON.parse = (text, reviver) => {
        if (!reviver) return parse(text)
        const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, found => (found.startsWith('"') ? found : `"\\u0001${found}"`))
        return parse(marked, function (key, value) {
            if (typeof value !== "string" || !value.startsWith("\u0001")) return reviver.call(this, key, value, {})
            const source = value.slice(1)
            return reviver.call(this, key, parse(source), { source })
        })
    }
    try {
        return run()
    } finally {
        Object.assign(JSON, { stringify, parse })
        delete JSON.rawJSON
        delete JSON.isRawJSON
    }
}
