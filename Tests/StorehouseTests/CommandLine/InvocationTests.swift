import Storehouse
import StorehouseServer
import Testing

@Suite struct InvocationTests {
    private static let port = ConfigurationFlag(name: "--port", path: "http.port", text: "0")
    private static let host = ConfigurationFlag(name: "--host", path: "http.host", text: "::1")

    private static func set(_ path: String, _ text: String) -> ConfigurationFlag {
        ConfigurationFlag(name: "--set", path: path, text: text)
    }

    @Test(arguments: [
        (["serve"], Invocation.serve(configurationFile: nil, flags: [])),
        (["serve", "--port", "0"], .serve(configurationFile: nil, flags: [port])),
        (["serve", "--port=0"], .serve(configurationFile: nil, flags: [port])),
        (["serve", "--port", "9", "--port", "0"], .serve(configurationFile: nil, flags: [port])),
        (
            ["serve", "--port", "0", "--config=a=b", "--host", "::1"],
            .serve(configurationFile: "a=b", flags: [host, port])
        ),
        (
            ["serve", "--set", "a.b=c=d", "--port=0", "--set=e="],
            .serve(configurationFile: nil, flags: [port, set("a.b", "c=d"), set("e", "")])
        ),
        (["check-config"], .checkConfiguration(file: nil, flags: [])),
        (["check-config", "--config", "-"], .checkConfiguration(file: "-", flags: [])),
        (["check-config", "--set", "a=--b"], .checkConfiguration(file: nil, flags: [set("a", "--b")])),
        (["upstream"], .upstream(port: 8081)),
        (["upstream", "--port", "0"], .upstream(port: 0)),
        (["healthcheck"], .healthcheck(configurationFile: nil, url: nil)),
        (["healthcheck", "--config", "c", "--url", "http://a"], .healthcheck(configurationFile: "c", url: "http://a")),
        (["verify", "--storage", "a"], .storage(.verify(file: "a"))),
        (["backup", "--storage", "a", "--to", "b"], .storage(.backup(file: "a", target: "b"))),
        (["export", "-id_", "--storage", "a"], .storage(.export(session: "-id_", file: "a"))),
        (["import", "--storage=a", "-", "--id", "new"], .storage(.import(document: "-", file: "a", id: "new"))),
        (["sessions", "--storage", "a"], .storage(.sessions(file: "a", deleted: nil))),
        (["sessions", "--delete", "b", "--storage", "a"], .storage(.sessions(file: "a", deleted: "b"))),
        (["--version"], .version),
        (["--help"], .help),
        (["-h"], .help),
        (["help"], .help),
        (["serve", "--port", "1", "--help"], .help),
    ])
    func aCommandLineIsParsed(words: [String], invocation: Invocation) throws {
        #expect(try Invocation.parse(words) == invocation)
    }

    @Test(arguments: [
        (["sevre"], "there is no command 'sevre'; the nearest is 'serve'"),
        (["check"], "there is no command 'check'; the nearest is 'check-config'"),
        (["--verison"], "there is no flag '--verison'; the nearest is '--version'"),
        (["--version", "x"], "nothing can follow --version"),
        (["serve", "--prot", "1"], "'serve' has no flag '--prot'; the nearest is '--port'"),
        (["upstream", "--config", "a"], "'upstream' has no flag '--config'; the nearest is '--port'"),
        (["serve", "now"], "'serve' takes no argument 'now'"),
        (["serve", "--port"], "--port needs a value: --port N"),
        (["serve", "--port="], "--port needs a value: --port N"),
        (["serve", "--config", "--port", "1"], "--config needs a value: --config FILE"),
        (["serve", "--set"], "--set needs a value: --set KEY=VALUE"),
        (["serve", "--set", "http.port"], "--set needs a key and a value: --set KEY=VALUE"),
        (["serve", "--set", "=s3cr3t"], "--set needs a key and a value: --set KEY=VALUE"),
        (["upstream", "--port", "65536"], "--port must be a whole number from 0 to 65535, not '65536'"),
        (["upstream", "--port", "http"], "--port must be a whole number from 0 to 65535, not 'http'"),
        (["verify"], "--storage FILE is missing"),
        (["backup", "--storage", "a"], "--to FILE is missing"),
        (["export", "--storage", "a"], "SESSION is missing"),
        (["export", "a", "b", "--storage", "c"], "'export' takes no argument 'b'"),
        (["a\nb"], #"there is no command 'a\nb'; the nearest is 'serve'"#),
    ])
    func aWrongCommandLineIsAnError(words: [String], detail: String) {
        let error = #expect(throws: UsageError.self) { try Invocation.parse(words) }
        #expect(error?.description == "storehouse: \(detail)\nTry: storehouse --help")
    }

    @Test func anEmptyCommandLinePrintsTheHelp() {
        let error = #expect(throws: UsageError.self) { try Invocation.parse([]) }
        #expect(error?.description == Invocation.helpText)
    }

    @Test func theHelpNamesEveryCommandAndFitsATerminal() {
        let lines = Invocation.helpText.split(separator: "\n")
        for usage in [
            "  storehouse serve [--config FILE] [--host H] [--port N] [--set KEY=VALUE]…",
            "  storehouse check-config [--config FILE] [--set KEY=VALUE]…",
            "  storehouse upstream [--port N]", "  storehouse healthcheck [--config FILE] [--url URL]",
            "  storehouse verify --storage FILE", "  storehouse backup --storage FILE --to FILE",
            "  storehouse export SESSION --storage FILE", "  storehouse import FILE --storage FILE [--id ID]",
            "  storehouse sessions --storage FILE [--delete ID]", "  storehouse --version | --help",
        ] {
            #expect(lines.contains { $0 == usage })
        }
        #expect(lines.allSatisfy { $0.count <= 120 })
    }
}
