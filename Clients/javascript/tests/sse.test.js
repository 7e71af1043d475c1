import assert from "node:assert/strict"
import { test } from "node:test"
import { createParser } from "../src/sse.js"

const encode = text => new TextEncoder().encode(text)
const parse = (...pieces) => {
    const parser = createParser()
    return pieces.flatMap(piece => parser.feed(typeof piece === "string" ? encode(piece) : piece))
}
const one = { type: "state", data: "{}", id: "a-1" }

test("an event has a type, data and the id", () => {
    assert.deepEqual(parse("event: state\nid: a-1\ndata: {}\n\n"), [one])
})

test("an event may be cut in every byte", () => {
    const bytes = encode("event: state\r\nid: ü-1\r\ndata: {\"a\":\"€😀\"}\r\n\r\ndata: 2\n\n")
    const expected = parse(bytes)
    assert.equal(expected.length, 2)
    for (let cut = 0; cut <= bytes.length; cut++) {
        assert.deepEqual(parse(bytes.slice(0, cut), bytes.slice(cut)), expected)
    }
    assert.deepEqual(parse(...[...bytes].map(byte => Uint8Array.of(byte))), expected)
})

test("CR, LF and CRLF end lines, and a CR ends an event at once", () => {
    assert.deepEqual(parse("event: state\rid: a-1\rdata: {}\r\r"), [one])
    assert.deepEqual(parse("event: state\r", "\nid: a-1\r", "\ndata: {}\r", "\n\r"), [one])
    assert.deepEqual(parse("data: 1\r", "\n", "\r", "\ndata: 2\n\n").map(event => event.data), ["1", "2"])
})

test("comments, unknown fields and blocks without data are no events", () => {
    assert.deepEqual(parse(": heartbeat 15000 ms\n\n:\nfoo: bar\nevent: x\n\n"), [])
})

test("retry is read, unless it is no number", () => {
    const parser = createParser()
    parser.feed(encode("retry: 2500\n\nretry: 1s\n\n"))
    assert.equal(parser.retry, 2500)
})

test("an event without an id has the id before it, also of a block without data", () => {
    assert.deepEqual(parse("id: 1\n\ndata: a\n\nid: 2\ndata: b\n\ndata: c\n\n").map(event => event.id), ["1", "2", "2"])
})

test("an id with a zero byte is left out", () => {
    assert.equal(parse("id: a\0b\ndata: 1\n\n")[0].id, "")
})

test("several lines of data are one text", () => {
    assert.equal(parse("data: a\ndata:b\ndata:  c\ndata\n\n")[0].data, "a\nb\n c\n")
})

test("a byte order mark at the beginning is no part of a line", () => {
    assert.deepEqual(parse(Uint8Array.of(0xef, 0xbb), Uint8Array.of(0xbf), "data: 1\n\n").map(e => e.data), ["1"])
})

test("an event above the limit is an error", () => {
    const parser = createParser()
    const piece = encode("x".repeat(1 << 24))
    assert.throws(() => {
        for (let i = 0; i < 5; i++) parser.feed(piece)
    }, /too large/)
})
