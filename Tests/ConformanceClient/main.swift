import Foundation
import JSON

// Lets the conformance kit drive this client: JSON lines in and out, and a clock that the kit moves. An argument names a fault.

/// Writes a line at once.
func write(_ json: JSONValue) {
    let line = json.encoded() + [10]
    line.withUnsafeBytes { bytes in
        var sent = 0
        while sent < bytes.count {
            let count = Foundation.write(1, bytes.baseAddress! + sent, bytes.count - sent)
            guard count > 0 else { exit(1) }
            sent += count
        }
    }
}

let faults = JSONObject(Fault.allCases.map { ($0.rawValue, .string($0.scenario)) })
write([
    "hello": [
        "protocol": 1, "name": "swift", "capabilities": ["reducer", "disk", "reset"], "faults": .object(faults),
    ]
])
let (lines, input) = AsyncStream.makeStream(of: String.self)
Thread.detachNewThread {
    while let line = readLine() { input.yield(line) }
    input.finish()
}
var current = Page()
for await line in lines {
    guard let command = try? JSONValue(parsing: line) else { continue }
    if command["do"] == "reset" {
        await current.end()
        current = Page()
    }
    let page = current
    // Only `flush` waits for the network.
    if command["do"] == "flush" { Task { await page.run(command) } } else { await page.run(command) }
}
