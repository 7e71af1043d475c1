import CommandLine
import ProcessTesting
import ServerWiring
import StoreHosting
import Testing

@Suite struct CompletionScriptTests {
    private struct Tasks: Sendable { var count = 0 }

    private static func kind(_ name: String) -> StoreKind {
        StoreDefinition(name, "Tasks.", Tasks()) {
            Member("count", \.count)
            Action("\(name)/add", "Adds.") { $0.count += 1 }
            Action("\(name)/end", "Ends.") { $0.count = 0 }
            Action("\(name)/inside", "Internal.", audience: .internal) { $0.count = 1 }
        }.kind
    }

    private static let script = CompletionScript(
        program: "my-hall", kinds: [kind("seats"), kind("planner")], StorehouseConfiguration())

    /// Completes the last word as bash does, which cuts words at `=` and `:` and replaces the last piece only.
    @Test(
        .enabled(if: Tool("bash") != nil),
        arguments: [
            ("com", ["completion"]), ("--v", ["--version"]), ("se", ["serve", "sessions", "send"]),
            ("serve --po", ["--port"]), ("serve ", []), ("serve --port ", []),
            ("export --", ["--storage", "--with-owners", "--json", "--help"]),
            ("completion ", ["bash", "zsh", "fish"]),
            ("types p", ["planner"]), ("send http://a b/c --store ", ["seats", "planner"]),
            ("send http://a b/c --store=p", ["planner"]), ("help ver", ["verify", "version"]),
            (
                "serve --set storage.redis.",
                ["storage.redis.settings=", "storage.redis.url=", "storage.redis.replicas=", "storage.redis.prefix="]
            ),
            ("serve --set log.le", ["log.level="]), ("serve --set log.level=", ["debug", "info", "warning", "error"]),
            ("serve --set=log.level=d", ["debug"]), ("serve --set=log.le", ["log.level="]),
            ("check-config --set inspector.enabled=", ["true", "false"]), ("serve --set http.port=", []),
            ("serve --set sessions.defaultStore=p", ["planner"]),
            ("send http://a ", ["seats/add", "seats/end", "planner/add", "planner/end"]),
            ("send --store seats http://a:1 pl", ["planner/add", "planner/end"]), ("send ", []),
        ])
    func bashCompletes(line: String, replies: [String]) async throws {
        let result = try await Self.bash("my-hall " + line)
        #expect(result.status == 0, "\(result.errors)")
        #expect(Set(result.output.split(separator: "\n").map(String.init)) == Set(replies))
    }

    private static func bash(_ line: String) async throws -> ProgramResult {
        let folder = try TemporaryFolder()
        let file = try folder.write(script.text(for: .bash), to: "completion")
        let program = """
            set -u
            source "$1"
            complete -p my-hall >/dev/null || exit 1
            COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
            _my_hall
            for reply in ${COMPREPLY[@]+"${COMPREPLY[@]}"}; do echo "$reply"; done
            """
        return try await #require(Tool("bash")).run(["-c", program, "bash", file, line])
    }

    @Test(.enabled(if: Tool("bash") != nil)) func bashCompletesFiles() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "a database")
        for words in ["verify", "verify --storage", "backup a.db", "restore a.db --json"] {
            let result = try await Self.bash("my-hall \(words) \(folder.path)/a")
            #expect(result.output == file + "\n", "\(words)")
        }
        #expect(try await Self.bash("my-hall export a.db \(folder.path)/a").output == "")
    }

    @Test(
        .enabled(if: Tool("zsh") != nil),
        arguments: [
            ("ser", ["serve"]), ("serve --set log.le", ["log.level"]),
            ("serve --set log.level=", ["debug", "info", "warning", "error"]),
            ("serve --set=log.level=", ["debug", "info", "warning", "error"]),
            ("check-config --set sessions.defaultStore=", ["seats", "planner"]), ("types ", ["seats", "planner"]),
            ("send http://a pl", ["planner/add", "planner/end"]),
        ])
    func zshCompletes(line: String, words: [String]) async throws {
        let folder = try TemporaryFolder()
        let script = try folder.write(Self.script.text(for: .zsh), to: "completion")
        let program = try folder.write(Self.zshEditor, to: "editor")
        let result = try await #require(Tool("zsh")).run(["-f", program, script, "my-hall " + line])
        #expect(result.output.split(separator: "\n").map(String.init) == words, "\(result.errors)")
    }

    /// Prints the words that the line editor of zsh offers at the end of a line, which it needs a terminal for.
    private static let zshEditor = #"""
        zmodload zsh/zpty
        zpty shell "exec zsh -f -i"
        zpty -w shell "autoload -Uz compinit; compinit -u -D; source ${(q)1}
        compadd() {
            local -a found
            [[ \" \$* \" == *' -'[OAD]' '* ]] || { builtin compadd -A found \"\$@\"; print -rl -- '<'\$^found'>' }
            builtin compadd \"\$@\"
        }
        offer() { _main_complete; print '<'end'>' }
        zle -C offer complete-word offer
        bindkey '^I' offer
        print '<'begin'>'"
        while zpty -r shell line; do [[ $line == *'<begin>'* ]] && break; done
        zpty -n -w shell "$2"$'\t'
        zpty -r shell line '*<end>*'
        for word in ${(f)line}; do
            [[ $word == *'<'*'>'* && $word != *'<end>'* ]] && print -r -- ${${word%'>'*}##*'<'}
        done
        zpty -d shell
        """#

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

    @Test(
        .enabled(if: Tool("fish") != nil),
        arguments: [
            ("types ", ["planner", "seats"]), ("serve --po", ["--port"]),
            ("serve --set log.level=de", ["log.level=debug"]),
            ("serve --set http.po", ["http.port="]),
            ("serve --set sessions.defaultStore=", ["sessions.defaultStore=planner", "sessions.defaultStore=seats"]),
            ("send http://a seats/", ["seats/add", "seats/end"]), ("send seats/", []),
        ])
    func fishCompletes(line: String, words: [String]) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.script.text(for: .fish), to: "completion")
        let result = try await #require(Tool("fish")).run(["-N", "-c", "source \(file); complete -C 'my-hall \(line)'"])
        #expect(
            result.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } } == words.map { $0[...] },
            "\(result.errors)")
    }

    @Test(arguments: CompletionScript.Shell.allCases)
    func everyCommandIsInTheScript(shell: CompletionScript.Shell) {
        let text = Self.script.text(for: shell)
        for name in Help.commandNames { #expect(text.contains(name)) }
        #expect(!text.contains("storehouse completion"))
    }
}
