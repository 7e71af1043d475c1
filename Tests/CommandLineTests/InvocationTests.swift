import CommandLine
import JSON
import StorehouseServer
import Testing

@Suite struct InvocationTests {
    private static let port = ConfigurationFlag(name: "--port", path: "http.port", text: "0")
    private static let host = ConfigurationFlag(name: "--host", path: "http.host", text: "::1")

    private static func set(_ path: String, _ text: String) -> ConfigurationFlag {
        ConfigurationFlag(name: "--set", path: path, text: text)
    }

    @Test(arguments: [
        (["serve"], Invocation.serve(configurationFile: nil, flags: [], printsAdminToken: false)),
        (["serve", "--port", "0"], .serve(configurationFile: nil, flags: [port], printsAdminToken: false)),
        (["serve", "--port=0"], .serve(configurationFile: nil, flags: [port], printsAdminToken: false)),
        (["serve", "--print-admin-token"], .serve(configurationFile: nil, flags: [], printsAdminToken: true)),
        (
            ["serve", "--port", "9", "--port", "0"],
            .serve(configurationFile: nil, flags: [port], printsAdminToken: false)
        ),
        (
            ["serve", "--port", "0", "--config=a=b", "--host", "::1"],
            .serve(configurationFile: "a=b", flags: [port, host], printsAdminToken: false)
        ),
        (
            ["serve", "--set", "a.b=c=d", "--port=0", "--set=e="],
            .serve(configurationFile: nil, flags: [set("a.b", "c=d"), port, set("e", "")], printsAdminToken: false)
        ),
        // The later one counts.
        (
            ["serve", "--port=9", "--set", "http.port=1", "--port=0"],
            .serve(configurationFile: nil, flags: [set("http.port", "1"), port], printsAdminToken: false)
        ),
        (
            ["serve", "--port=0", "--set", "http.port=1"],
            .serve(configurationFile: nil, flags: [port, set("http.port", "1")], printsAdminToken: false)
        ),
        (["check-config"], .checkConfiguration(file: nil, flags: [])),
        (["check-config", "--config", "-", "--json"], .checkConfiguration(file: "-", flags: [])),
        (["check-config", "--set", "a=--b"], .checkConfiguration(file: nil, flags: [set("a", "--b")])),
        (["upstream"], .upstream(port: 8081, configurationFile: nil, flags: [])),
        (
            ["upstream", "--port", "0", "--set", "a=b", "--config", "c"],
            .upstream(port: 0, configurationFile: "c", flags: [set("a", "b")])
        ),
        (["healthcheck"], .healthcheck(HealthcheckCommand())),
        (
            ["healthcheck", "--config", "c", "--url", "http://a", "--ready", "--json", "--set", "a=b"],
            .healthcheck(
                HealthcheckCommand(
                    configurationFile: "c", flags: [set("a", "b")], url: "http://a", isReadiness: true, inJSON: true))
        ),
        (["--version"], .version(inJSON: false)),
        (["--version", "--json"], .version(inJSON: true)),
        (["version", "--json"], .version(inJSON: true)),
    ])
    func aCommandOfTheServerIsParsed(words: [String], invocation: Invocation) throws {
        #expect(try Invocation.parse(words) == invocation)
    }

    @Test(arguments: [
        (["verify", "--storage", "a"], StorageCommand.verify(file: "a"), false),
        (["verify", "--storage", "a", "--json"], .verify(file: "a"), true),
        (["verify", "a"], .verify(file: "a"), false),
        (["verify", "--json", "redis://a"], .verify(file: "redis://a"), true),
        (["migrate", "--check", "a"], .check(file: "a"), false),
        (["migrate", "a", "--check"], .check(file: "a"), false),
        (["backup", "a", "b"], .backup(file: "a", target: "b"), false),
        (["backup", "--storage", "a", "b"], .backup(file: "a", target: "b"), false),
        (["backup", "a", "--to", "b"], .backup(file: "a", target: "b"), false),
        (["restore", "b", "a"], .restore(backup: "b", file: "a"), false),
        (["restore", "--storage", "a", "b"], .restore(backup: "b", file: "a"), false),
        (["restore", "--from", "b", "a"], .restore(backup: "b", file: "a"), false),
        (["restore", "redis://a"], .restore(backup: nil, file: "redis://a"), false),
        (["export", "a", "x"], .export(session: "x", file: "a", withOwners: false), true),
        (["export", "a", "-id_"], .export(session: "-id_", file: "a", withOwners: false), true),
        (["export", "a", "--", "--id"], .export(session: "--id", file: "a", withOwners: false), true),
        (["import", "b", "a"], .import(document: "b", file: "a", id: nil), false),
        (["import", "-", "a"], .import(document: "-", file: "a", id: nil), false),
        (["sessions", "a"], .sessions(file: "a", deleted: nil), false),
        (["backup", "--storage", "a", "--to", "b"], .backup(file: "a", target: "b"), false),
        (["restore", "--from", "b", "--storage", "a"], .restore(backup: "b", file: "a"), false),
        (["restore", "--storage", "unix:///a"], .restore(backup: nil, file: "unix:///a"), false),
        (["export", "-id_", "--storage", "a"], .export(session: "-id_", file: "a", withOwners: false), true),
        (["export", "x", "--storage", "a", "--with-owners"], .export(session: "x", file: "a", withOwners: true), true),
        (["export", "--storage", "a", "--", "--id"], .export(session: "--id", file: "a", withOwners: false), true),
        (["export", "--storage", "a", "--", "--help"], .export(session: "--help", file: "a", withOwners: false), true),
        (["export", "--storage", "a", "--", "--"], .export(session: "--", file: "a", withOwners: false), true),
        (["import", "--storage=a", "-", "--id", "new"], .import(document: "-", file: "a", id: "new"), false),
        (["import", "--storage=a", "--id=--x", "b"], .import(document: "b", file: "a", id: "--x"), false),
        (["sessions", "--storage", "a"], .sessions(file: "a", deleted: nil), false),
        (["sessions", "--delete", "b", "--storage", "a"], .sessions(file: "a", deleted: "b"), false),
        (
            ["sessions", "--mark", "35C5700B", "--storage", "a"], .sessions(file: "a", deleted: nil, mark: "35c5700b"),
            false
        ),
    ])
    func aCommandOnStorageIsParsed(words: [String], command: StorageCommand, inJSON: Bool) throws {
        #expect(try Invocation.parse(words) == .storage(command, inJSON: inJSON))
    }

    @Test(arguments: [
        (["types", "--swift", "app"], Invocation.types(kind: "app", language: .swift)),
        (["types", "app", "--typescript"], .types(kind: "app", language: .typeScript)),
        (["completion", "fish"], .completion(.fish)),
        (["--help"], .help(command: nil)),
        (["-h"], .help(command: nil)),
        (["help"], .help(command: nil)),
        (["help", "send"], .help(command: "send")),
        (["help", "--man"], .manual(command: nil)),
        (["help", "send", "--man"], .manual(command: "send")),
        (["serve", "--port", "1", "--help"], .help(command: "serve")),
        (["export", "-h"], .help(command: "export")),
    ])
    func aToolIsParsed(words: [String], invocation: Invocation) throws {
        #expect(try Invocation.parse(words) == invocation)
    }

    @Test func theWordsOfSendBecomeARequest() throws {
        let words = [
            "send", "http://a:1/sessions/x", "a/b", "n=1", "o:={}", "--wait", "5", "--if-match=3", "--dry-run",
            "--select", "/a", "--json", "--header", "A: b", "--ca-file", "/dev/null", "--", "--m=2",
        ]
        let members: [ActionMember] = [.text(name: "n", "1"), .json(name: "o", [:]), .text(name: "--m", "2")]
        var command = SendCommand(try SessionURL("http://a:1/sessions/x"), [.init("a/b", members)])
        (command.wait, command.ifMatch, command.select) = (5, "\"3\"", "/a")
        (command.isDryRun, command.inJSON) = (true, true)
        command.connection = ClientConnection(headers: ["A": "b"], caFile: "/dev/null")
        command.lastSession = LastSession([:])
        #expect(try Invocation.parse(words) == .session(.send(command)))
    }

    @Test func severalActionsAreABatch() throws {
        let url = "http://a/sessions/x"
        guard
            case .session(.send(let command)) = try Invocation.parse([
                "send", url, "a/b", "n=1", "+", "c/d", "+", "e/f", "m=@g",
            ])
        else { return #expect(Bool(false)) }
        #expect(
            command.actions == [
                .init("a/b", [.text(name: "n", "1")]), .init("c/d"),
                .init("e/f", [.file(name: "m", path: "g", isJSON: false)]),
            ])
        guard case .session(.send(let input)) = try Invocation.parse(["send", url, "-"]) else {
            return #expect(Bool(false))
        }
        #expect(input.actions.isEmpty)
    }

    @Test(arguments: [
        (["sevre"], "there is no command 'sevre'; the nearest is 'serve'", ""),
        (["check"], "there is no command 'check'; the nearest is 'check-config'", ""),
        (["frobnicate"], "there is no command 'frobnicate'", ""),
        (["--frobnicate"], "there is no flag '--frobnicate'", ""),
        (["serve", "--frobnicate"], "'serve' has no flag '--frobnicate'", "serve "),
        (["--verison"], "there is no flag '--verison'; the nearest is '--version'", ""),
        (["--version", "x"], "'version' takes no argument 'x'", "version "),
        (["help", "sevre"], "there is no command 'sevre'; the nearest is 'serve'", "help "),
        (["serve", "--prot", "1"], "'serve' has no flag '--prot'; the nearest is '--port'", "serve "),
        (["upstream", "--host", "a"], "'upstream' has no flag '--host'", "upstream "),
        (["serve", "now"], "'serve' takes no argument 'now'", "serve "),
        (["serve", "--", "now"], "'serve' takes no argument 'now'", "serve "),
        (["serve", "-p"], "'serve' has no flag '-p'; the nearest is '--port'", "serve "),
        (["serve", "--port"], "--port needs a value: --port N", "serve "),
        (["serve", "--port="], "--port needs a value: --port N", "serve "),
        (["serve", "--config", "--port", "1"], "--config needs a value: --config FILE", "serve "),
        (["serve", "--set"], "--set needs a value: --set KEY=VALUE", "serve "),
        (["serve", "--set", "http.port"], "--set needs a key and a value: --set KEY=VALUE", "serve "),
        (["serve", "--set", "=s3cr3t"], "--set needs a key and a value: --set KEY=VALUE", "serve "),
        (["upstream", "--port", "65536"], "--port must be a whole number from 0 to 65535, not '65536'", "upstream "),
        (["verify"], "FILE is missing: an argument, or --storage FILE", "verify "),
        (["verify", "-v"], "'verify' has no flag '-v'", "verify "),
        (["verify", "a", "b"], "'verify' takes no argument 'b'", "verify "),
        (["verify", "a", "--storage", "b"], "'a' and --storage contradict each other; give one of them", "verify "),
        (
            ["backup", "a", "b", "--to", "c"], "'b' and --to contradict each other; give one of them", "backup "
        ),
        (
            ["restore", "a", "b", "--from", "c", "--storage", "d"],
            "'a' and --from and --storage contradict each other; give one of them", "restore "
        ),
        (["backup", "a"], "COPY is missing: an argument, or --to FILE", "backup "),
        (["import", "a"], "FILE is missing: an argument, or --storage FILE", "import "),
        (["export", "a"], "SESSION is missing", "export "),
        (
            ["restore", "a", "redis://b"],
            "a backup of Redis is put in its place as its manual says; do that, and leave BACKUP out", "restore "
        ),
        (["verify", "--json=yes"], "--json takes no value", "verify "),
        (["backup", "--storage", "a"], "COPY is missing: an argument, or --to FILE", "backup "),
        (["restore", "--storage", "a"], "BACKUP is missing: an argument, or --from FILE", "restore "),
        (
            ["restore", "--storage", "redis://a", "--from", "b"],
            "a backup of Redis is put in its place as its manual says; do that, and leave BACKUP out", "restore "
        ),
        (["export", "--storage", "a"], "SESSION is missing", "export "),
        (
            ["export", "a", "b", "--storage", "c"], "'b' and --storage contradict each other; give one of them",
            "export "
        ),
        (["export", "a", "b", "c"], "'export' takes no argument 'c'", "export "),
        (["types", "app"], "choose one of --typescript and --swift", "types "),
        (["types", "app", "--swift", "--typescript"], "choose one of --typescript and --swift", "types "),
        (["completion", "csh"], "SHELL must be bash, zsh or fish, not 'csh'", "completion "),
        (["a\nb"], #"there is no command 'a\nb'"#, ""),
    ])
    func aWrongCommandLineIsAnError(words: [String], detail: String, command: String) {
        let error = #expect(throws: UsageError.self) { try Invocation.parse(words) }
        #expect(error?.description == "storehouse: \(detail)\nTry: storehouse \(command)--help")
    }

    @Test(arguments: [
        (
            ["send", "http://a", "b/c"],
            "'http://a' is the address of a server; --store NAME creates a session, or use URL/sessions/ID"
        ),
        (
            ["send", "http://a/sessions/x", "b/c", "--store", "app"],
            "--store needs the address of a server, and 'http://a/sessions/x' is a session's"
        ),
        (["send", "http://a/sessions/x"], "TYPE is missing"),
        (["send", "http://a/sessions/x", "+", "b/c"], "TYPE is missing"),
        (["send", "http://a/sessions/x", "b/c", "+"], "TYPE is missing behind '+'"),
        (["send", "http://a/sessions/x", "n=1"], "TYPE is missing before a member of the payload"),
        (
            ["send", "b/c"],
            "no session is given: URL/sessions/ID, an id, or - for the last one; --store NAME creates one"
        ),
        (
            ["watch"],
            "no session is given: URL/sessions/ID, an id, or - for the last one; or set STOREHOUSE_URL"
        ),
        (["get", "-"], "no command has made a session yet, so '-' names none"),
        (
            ["delete", "http://a/shared/x"],
            "'http://a/shared/x' is a share, which does not allow this; give the session"
        ),
        (
            ["watch", "http://a/shared/x", "--actions"], "'http://a/shared/x' is a share, which shows no actions"
        ),
        (["diff", "http://a/sessions/x"], "FROM is missing"),
        (["diff", "http://a/sessions/x", "b"], "FROM must be a revision, which is a whole number, not 'b'"),
        (
            ["watch", "http://a/sessions/x", "--since", "-1"],
            "--since must be a revision, which is a whole number, not '-1'"
        ),
        (
            ["log", "http://a/sessions/x", "--refused", "--since", "4"],
            "--since does not go with --refused, which lists the last 100 refused actions"
        ),
        (
            ["fork", "http://a/sessions/x", "--skip", "9"],
            "a replay needs --revision, after which actions are sent again"
        ),
        (["fork", "http://a/sessions/x", "--dry-run"], "--dry-run shows a replay; add --replay and --revision"),
        (
            ["fork", "http://a/sessions/x", "b/c", "--revision", "1"],
            "TYPE needs --replace N, the revision of the action in whose place it is sent"
        ),
        (
            ["fork", "http://a/sessions/x", "b/c", "+", "b/c", "--revision", "1", "--replace", "2"],
            "--replace sends one action, TYPE key=value…, in the place of another"
        ),
        (["fork", "http://a/sessions/x", "--revision", "1", "--replace", "2"], "TYPE is missing"),
        (
            ["share", "http://a/sessions/x", "--guest-name", "Ada"],
            "--guest-name and --guest-roles need --guest, the id of the guest"
        ),
        (["share", "http://a/sessions/x", "--may", "raed"], "--may has no 'raed'; the nearest is 'read'"),
        (
            ["share", "http://a/sessions/x", "--expires-in", "31d"],
            "--expires-in must be a number with s, m, h or d, such as 90m, of 30 days at most, not '31d'"
        ),
        (["share", "http://a/sessions/x", "--name", "Ada"], "--name needs --as, which says who you are"),
        (
            ["send", "http://a/sessions/x", "b/c", "d"],
            "'d' is not a member of a payload: key=value, or key:=JSON"
        ),
        (["send", "http://a/sessions/x", "b/c", "d=1", "d:=1"], "the member 'd' is given twice"),
        (
            ["send", "http://a/sessions/x", "b/c", "--wait", "0.5"],
            "--wait must be a whole number of seconds from 0 to 86400, not '0.5'"
        ),
        (
            ["send", "http://a/sessions/x", "b/c", "--header", "s3cr3t"],
            "--header needs a name and a value: --header 'NAME: VALUE'"
        ),
        (["watch", "http://a/sessions/x", "--ca-file", "/none.pem"], "--ca-file /none.pem cannot be read"),
        (["watch", "http://a"], "'http://a' is the address of a server, not of a session: URL/sessions/ID"),
        (
            ["watch", "a/sessions/x"],
            "'a/sessions/x' is not a URL of a session, such as http://localhost:8080/sessions/ID"
        ),
    ])
    func aWrongCommandLineOfAClientIsAnError(words: [String], detail: String) throws {
        let error = #expect(throws: UsageError.self) { try Invocation.parse(words) }
        #expect(error?.description == "storehouse: \(detail)\nTry: storehouse \(words[0]) --help")
    }

    @Test func anEmptyCommandLinePrintsTheHelp() {
        let error = #expect(throws: UsageError.self) { try Invocation.parse([], program: "hall") }
        #expect(error?.description == Help.commands(of: "hall"))
    }

    @Test func errorsNameTheProgram() {
        let error = #expect(throws: UsageError.self) { try Invocation.parse(["verify"], program: "hall") }
        #expect(error?.description == "hall: FILE is missing: an argument, or --storage FILE\nTry: hall verify --help")
    }
}
