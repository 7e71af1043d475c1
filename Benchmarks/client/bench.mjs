// One case of the JavaScript client, as a line of JSON: node bench.mjs CASE COUNT, with the program's path in STOREHOUSE.
import { leader, frames } from "./browser.mjs"
import { patches } from "./patches.mjs"
import { jumps, outbox } from "./server.mjs"

const cases = { patches, outbox, frames, leader, jumps }
const [name, count] = process.argv.slice(2)
if (!cases[name]) throw new Error(`node bench.mjs ${Object.keys(cases).join("|")} COUNT`)
console.log(JSON.stringify(await cases[name](Number(count))))
process.exit()
