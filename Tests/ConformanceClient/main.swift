import Foundation
import JSON

// Lets the conformance kit drive this client: JSON lines in and out, and a clock that the kit moves.

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

write(["hello": ["protocol": 1, "name": "swift", "capabilities": ["reducer", "disk"]]])
let (lines, input) = AsyncStream.makeStream(of: String.self)
Thread.detachNewThread {
    while let line = readLine() { input.yield(line) }
    input.finish()
}
let page = Page()
for await line in lines {
    guard let command = try? JSONValue(parsing: line) else { continue }
    // Only `flush` waits for the network.
    if command["do"] == "flush" { Task { await page.run(command) } } else { await page.run(command) }
}
