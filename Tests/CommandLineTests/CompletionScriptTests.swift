import CommandLine
import ProcessTesting
import Testing

@Suite struct CompletionScriptTests {
    private static let script = CompletionScript(program: "my-hall", kinds: ["seats", "planner"])

    /// Completes the last word as bash does.
    @Test(
        .enabled(if: Tool("bash") != nil),
        arguments: [
            (["my-hall", "com"], ["completion"]), (["my-hall", "--v"], ["--version"]),
            (["my-hall", "se"], ["serve", "sessions", "send"]),
            (["my-hall", "serve", "--po"], ["--port"]), (["my-hall", "serve", ""], []),
            (["my-hall", "serve", "--port", ""], []),
            (["my-hall", "export", "--"], ["--storage", "--with-owners", "--json", "--help"]),
            (["my-hall", "completion", ""], ["bash", "zsh", "fish"]), (["my-hall", "types", "p"], ["planner"]),
            (["my-hall", "send", "http://a", "b/c", "--store", ""], ["seats", "planner"]),
            (["my-hall", "help", "ver"], ["verify", "version"]),
        ])
    func bashCompletes(words: [String], replies: [String]) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.script.text(for: .bash), to: "completion")
        let program = """
            set -eu
            source "$1"
            complete -p my-hall >/dev/null
            shift
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _my_hall
            for reply in ${COMPREPLY[@]+"${COMPREPLY[@]}"}; do echo "$reply"; done
            """
        let result = try await #require(Tool("bash")).run(["-c", program, "bash", file] + words)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.split(separator: "\n").map(String.init) == replies)
    }

    @Test(.enabled(if: Tool("bash") != nil)) func bashCompletesFiles() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.script.text(for: .bash), to: "completion")
        let program =
            "source \"$1\"; COMP_WORDS=(my-hall verify --storage \"$2\") COMP_CWORD=3; _my_hall; echo \"${COMPREPLY[*]}\""
        let result = try await #require(Tool("bash")).run(["-c", program, "bash", file, folder.path + "/com"])
        #expect(result.output == file + "\n")
    }

    @Test(arguments: CompletionScript.Shell.allCases)
    func theShellReadsTheScript(shell: CompletionScript.Shell) async throws {
        // Not every machine has every shell.
        guard let tool = Tool(shell.rawValue) else { return }
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.script.text(for: shell), to: "completion")
        let result = try await tool.run(["-n", file])
        #expect(result.status == 0, "\(result.errors)")
        #expect((result.output + result.errors).isEmpty)
    }

    @Test(.enabled(if: Tool("fish") != nil)) func fishCompletes() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.script.text(for: .fish), to: "completion")
        let fish = try #require(Tool("fish"))
        let types = try await fish.run(["-N", "-c", "source \(file); complete -C 'my-hall types '"])
        #expect(types.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } } == ["planner", "seats"])
        let flags = try await fish.run(["-N", "-c", "source \(file); complete -C 'my-hall serve --po'"])
        #expect(flags.output.hasPrefix("--port\t"))
    }

    @Test(arguments: CompletionScript.Shell.allCases)
    func everyCommandIsInTheScript(shell: CompletionScript.Shell) {
        let text = Self.script.text(for: shell)
        for name in Help.commandNames { #expect(text.contains(name)) }
        #expect(!text.contains("storehouse completion"))
    }
}
