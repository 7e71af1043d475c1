import RedisJournal
import Testing

@Suite("The scripts for Redis")
struct RedisScriptTests {
    @Test("execute no command for whose permission the probe does not ask")
    func probedCommands() {
        let commands = RedisScript.commands
        #expect(["HSET", "HMGET", "ZCARD", "RENAME", "TIME", "HINCRBY"].allSatisfy { commands.contains($0) })
        #expect(commands.allSatisfy { RedisScript.probe.source.contains($0) && $0.allSatisfy(\.isUppercase) })
    }

    @Test("are sent, each behind its flags, without the comment for its readers", arguments: RedisScript.allCases)
    func sentScript(script: RedisScript) {
        let lines = script.source.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(["#!lua", "#!lua flags=allow-oom", "#!lua flags=no-writes"].contains(lines[0]))
        #expect(lines[1] == "local call, tag, session = redis.call, KEYS[1], KEYS[2]")
        #expect(!lines.contains { $0.isEmpty || $0.hasPrefix("--") && $0.contains("Arguments: ") })
        #expect(!script.source.contains("COMMANDS"))
    }
}
