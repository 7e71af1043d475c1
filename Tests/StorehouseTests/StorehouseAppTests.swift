import JSON
import RemoteServices
import ServerWiring
import StoreHosting
import Storehouse
import StorehouseServer
import Stores
import Testing

private struct Hall: StorehouseApp {
    var kinds: [StoreKind] { QuoteHall.kind }
}

private struct Forgetful: StorehouseApp {
    struct State: HostedState {
        func encode(into json: inout JSONWriter) { json.object { _ in } }
    }

    struct Nothing: Reducer {
        func decide(_ action: QuoteHall.Action, in state: State) -> Decision { .accept }

        func reduce(_ state: inout State, _ action: QuoteHall.Action) {}
    }

    var kinds: [StoreKind] { StoreKind.store("forgetful", reducer: Nothing()) }
}

private struct Twice: StorehouseApp {
    var kinds: [StoreKind] {
        QuoteHall.kind
        [QuoteHall.kind]
    }
}

private struct Doubled: StorehouseApp {
    struct State {
        var count = 0
    }

    var kinds: [StoreKind] {
        StoreDefinition("doubled", "Two actions of one name.", State()) {
            Member("count", \.count)
            Action("add", "Adds one.") { $0.count += 1 }
            Action("add", "Adds some.", .integer("by", 1...9, example: 10)) { $0.count += $1 }
        }
    }
}

private struct Full: StorehouseApp {
    struct State {
        var text = String(repeating: "a", count: 2000)
    }

    var kinds: [StoreKind] {
        StoreDefinition("full", "A state that begins large.", State()) {
            Member("text", \.text)
            Action("clear", "Clears.") { $0.text = "" }
        }
    }
}

/// Its slice makes calls that continue after a restart.
private struct Bank: StorehouseApp {
    struct State { var desk = Desk() }

    struct Desk {
        var calls = PendingCalls()

        static let pay = Action<Desk, Void>("pay", "Pays.") { _ in }
    }

    var kinds: [StoreKind] {
        StoreDefinition("till", "A till.", State()) {
            Part("desk", \.desk) {
                Member("calls", \.calls)
                Desk.pay
                Fetch(
                    "payment", on: Desk.pay, from: "bank", as: RemoteResponse.Status.self,
                    retry: .upTo(2, every: .seconds(1), in: \.calls)
                ) { _ in
                    .post([:])
                } then: { _, _, _ in
                }
            }
        }
    }
}

private struct Desk {
    var error = ""

    static let ask = Action<Desk, Void>("ask", "Asks.") { _ in }
    static let look = Action<Desk, String>("look", "Looks.", .text("item", 1...9, example: "tea")) { _, _ in }

    /// Its fetches differ in what they say of a restart.
    static func store(isWaiting: (@Sendable (Desk) -> Bool)?) -> StoreKind {
        StoreDefinition("desk", "A desk.", Desk()) {
            Member("error", \.error)
            ask
            look
            Fetch("notice", on: ask, from: "desk", as: RemoteResponse.Status.self) { _ in
                .post([:])
            } then: { _, _, _ in
            }
            Fetch(
                "answer", on: ask, from: "desk", as: String.self, .latest, { _ in .get("/") },
                then: { desk, text, _ in desk.error = text },
                failed: { desk, failure, _ in desk.error = failure.message }, isWaiting: isWaiting)
            Fetch("sight", on: look, from: "desk", as: String.self) { _, _ in
                .get("/")
            } then: { _, _, _, _ in
            } failed: { desk, _, failure, _ in
                desk.error = failure.message
            } waiting: { _ in
                []
            }
        }.kind
    }
}

/// Lacks a variable of the environment.
private struct Unprepared: StorehouseApp {
    struct Missing: Error, CustomStringConvertible { let description = "MARKET_FEE must be a number" }

    init() throws { throw Missing() }

    var kinds: [StoreKind] { QuoteHall.kind }
}

private struct Misnamed: StorehouseApp {
    var kinds: [StoreKind] {
        StoreKind.calling(RemoteService("Quote-API"), RemoteService("embedded", demo: { _ in .json([:]) })) { _ in
            QuoteHall.kind
        }
    }
}

private struct Demos: StorehouseApp {
    var kinds: [StoreKind] {
        StoreKind.calling(RemoteService("quotes", demo: { _ in .json(["text": "Hello"]) })) { _ in QuoteHall.kind }
    }
}

/// A user's whole program: its refusals, with their exit codes and lines.
@Suite struct StorehouseAppTests {
    private func lines(_ app: some StorehouseApp, _ arguments: String..., code: Int32 = 2) async -> [String] {
        var lines: [String] = []
        let found = await app.run(arguments) { lines.append($0) }
        #expect(found == code)
        return lines.flatMap { $0.split(separator: "\n").map(String.init) }
    }

    @Test(arguments: ["serve", "check-config"])
    func aProgramThatCannotBeginSaysWhy(command: String) async {
        var lines: [String] = []
        #expect(await Unprepared.run([command]) { lines.append($0) } == 2)
        #expect(lines == ["MARKET_FEE must be a number"])
    }

    @Test(arguments: ["serve", "check-config"])
    func aServiceWithoutAURLAndWithoutADemoIsRequired(command: String) async {
        let line =
            "upstreams.quotes.url: is missing, and the service has no demo: set it (STOREHOUSE_UPSTREAMS_QUOTES_URL)"
        #expect(await lines(Hall(), command) == [line])
        #expect(await lines(Hall(), command, "--set", "upstreams.embedded=false") == [line])
    }

    @Test func aDemoServiceNeedsAURLOnlyWithoutTheEmbeddedOnes() async {
        #expect(await lines(Demos(), "check-config", code: 0) == [])
        #expect(
            await lines(Demos(), "check-config", "--set", "upstreams.embedded=false") == [
                "upstreams.quotes.url: is missing, and upstreams.embedded is false: set it "
                    + "(STOREHOUSE_UPSTREAMS_QUOTES_URL), or upstreams.embedded to true"
            ])
    }

    @Test func aDeclaredServiceHasEveryKey() async {
        let url = "upstreams.quotes.url=http://127.0.0.1:1"
        let keys = ["timeout=2.5", "retries=0", "breaker.failures=3", "headers=A: b", "denyPrivate=true", "place=/x"]
        for key in keys {
            #expect(
                await lines(Hall(), "check-config", "--set", url, "--set", "upstreams.quotes." + key, code: 0) == [])
        }
    }

    @Test func aKeyOfNoServiceIsUnknown() async {
        let url = "upstreams.quotes.url=http://127.0.0.1:1"
        for (key, nearest) in [
            ("upstreams.animal.url", "upstreams.quotes.url"), ("upstreams.quote.url", "upstreams.quotes.url"),
            ("upstreams.quotes.plase", "upstreams.quotes.place"),
        ] {
            let found = await lines(Hall(), "check-config", "--set", url, "--set", key + "=http://a")
            #expect(found.count == 1)
            #expect(found.first?.hasPrefix("\(key) (--set): is not a known key; the nearest is \(nearest)") == true)
        }
    }

    @Test func wrongDeclarationsOfServicesAreRefused() async {
        #expect(
            await lines(Misnamed(), "check-config") == [
                "upstreams.Quote-API: 'Quote-API' cannot be a key; name it with a lower-case letter, then letters and digits",
                "upstreams.embedded: is a key of the server; rename the service",
            ])
    }

    @Test(arguments: ["serve", "check-config"])
    func aWrongDefinitionIsRefused(command: String) async {
        #expect(
            await lines(Doubled(), command) == [
                #"configuration: the store 'doubled': The action "add": The example at /by must be an integer from 1 to 9."#,
                "configuration: the store 'doubled': The action type \"doubled/add\" is declared twice.",
            ])
    }

    @Test func anInitialStateAboveTheLimitIsAWarning() {
        let size = #"{"text":""}"#.utf8.count + 2000
        var configuration = Configuration()
        configuration.sessions.maxStateBytes = size - 1
        let details = configuration.warnings(serving: Full().kinds).map(\.detail)
        #expect(
            details == [
                "is \(size - 1), but the initial state of the store 'full' has \(size) bytes as JSON; set more than that "
                    + "(STOREHOUSE_SESSIONS_MAX_STATE_BYTES), or let a session begin with less"
            ])
        configuration.sessions.maxStateBytes = size
        #expect(configuration.warnings(serving: Full().kinds).isEmpty)
    }

    @Test func aPaymentThatAProcessMayForgetIsAWarning() {
        var configuration = Configuration()
        let advice =
            "but the store 'till' repeats calls of 'payment': if the process is killed, it may forget a call that it has sent, "
            + "and the next action of the user is another call; set "
        func warnings() -> [String] {
            configuration.warnings(serving: Bank().kinds).map { "\($0.path ?? "") \($0.detail)" }
        }
        #expect(warnings() == ["storage.kind is memory, \(advice)sqlite or redis (STOREHOUSE_STORAGE_KIND)"])
        configuration.storage.kind = .sqlite
        #expect(warnings().isEmpty)
        configuration.storage.durability = .relaxed
        #expect(warnings() == ["storage.durability is relaxed, \(advice)full (STOREHOUSE_STORAGE_DURABILITY)"])
        #expect(configuration.warnings(serving: Full().kinds).isEmpty)
    }

    @Test func aFetchThatARestartEndsInSilenceIsAWarning() {
        var configuration = Configuration()
        #expect(configuration.warnings(serving: [Desk.store(isWaiting: nil)]).isEmpty)
        configuration.storage.kind = .sqlite
        #expect(
            configuration.warnings(serving: [Desk.store(isWaiting: nil)]).map { "\($0.path ?? "") \($0.detail)" } == [
                "storage.kind is sqlite, and the store 'desk' does not say which states wait for an answer of 'answer': after a "
                    + "restart such a state waits for ever; add isWaiting or waiting to the Fetch, or retry"
            ])
        #expect(configuration.warnings(serving: [Desk.store { _ in false }]).isEmpty)
    }

    @Test(arguments: ["serve", "check-config"])
    func aKindThatCannotBeRestoredIsRefusedWithDurableStorage(command: String) async {
        #expect(
            await lines(Forgetful(), command, "--set", "storage.kind=sqlite") == [
                "storage.kind: the state of the store 'forgetful' cannot be restored after a restart; make its State "
                    + "Restorable, or set memory (STOREHOUSE_STORAGE_KIND)"
            ])
        #expect(await lines(Forgetful(), "check-config", code: 0) == [])
    }

    @Test(arguments: ["serve", "check-config"])
    func aMissingStorageDirectoryIsFound(command: String) async {
        let path = "storage.path=/no-such-directory/hall.db"
        #expect(
            await lines(Demos(), command, "--set", "storage.kind=sqlite", "--set", path) == [
                "storage.path: the directory '/no-such-directory' does not exist; create it, or set another path"
            ])
    }

    @Test(arguments: ["serve", "check-config"])
    func aDirectoryIsNoStorageFile(command: String) async {
        #expect(
            await lines(Demos(), command, "--set", "storage.kind=sqlite", "--set", "storage.path=/tmp") == [
                "storage.path: '/tmp' is a directory; name a file in it, such as '/tmp/storehouse.db'"
            ])
    }

    /// The settings in an unreadable file are unknown, so no setting is reported as missing.
    @Test func aFileThatCannotBeReadIsTheOnlyProblem() async {
        #expect(
            await lines(Hall(), "check-config", "--config", "/no-such.json") == [
                "/no-such.json: cannot be read: there is no such file"
            ])
        let found = await lines(Hall(), "check-config", "--config", #filePath)
        #expect(found.count == 1 && found.first?.contains("is not JSON") == true)
    }

    @Test func problemsOfKindsAndOfTheConfigurationAreShownTogether() async {
        #expect(
            await lines(Twice(), "check-config") == [
                "upstreams.quotes.url: is missing, and the service has no demo: set it (STOREHOUSE_UPSTREAMS_QUOTES_URL)",
                "configuration: two store kinds are called 'hall'; rename one of them",
            ])
    }

    @Test func twoKindsOfOneNameAreRefused() async {
        let url = "upstreams.quotes.url=http://127.0.0.1:1"
        #expect(
            await lines(Twice(), "check-config", "--set", url) == [
                "configuration: two store kinds are called 'hall'; rename one of them"
            ])
    }

    @Test func thereIsNoDemoToServeWhereNoneIsDeclared() async {
        let found = await lines(Hall(), "upstream", "--port", "0")
        #expect(
            found.first?.hasSuffix("no store kind declares a remote service with a demo, so there is nothing to serve")
                == true)
    }

    /// Several kinds may declare a service; then their declarations must agree.
    @Test func declarationsOfOneServiceAreMerged() throws {
        let place = RemoteService.Setting.pointer("place", JSONPointer(tokens: ["a"]), "the place")
        let other = RemoteService.Setting.text("other", "b", "another")
        let demo = RemoteService("quotes", settings: [other]) { _ in .json([:]) }
        let merged = try StorehouseConfiguration(services: [RemoteService("quotes", settings: [place]), demo])
        #expect(merged.json["upstreams"]?["quotes"]?["place"] == "/a")
        #expect(merged.json["upstreams"]?["quotes"]?["other"] == "b")
        #expect(merged.conflicts == [])
        let different = RemoteService.Setting.text("place", "/a", "the place")
        let error = #expect(throws: ConfigurationError.self) {
            try StorehouseConfiguration(services: [
                RemoteService("quotes", settings: [place]), RemoteService("quotes", settings: [different]),
            ])
        }
        #expect(error?.description == "upstreams.quotes.place: is declared by two store kinds in different ways")
    }

    @Test func aSettingWithTheNameOfAnotherKeyIsRefused() {
        let url = RemoteService.Setting.text("url", "x", "a URL")
        let error = #expect(throws: ConfigurationError.self) {
            try StorehouseConfiguration(services: [RemoteService("quotes", settings: [url])])
        }
        #expect(error?.problems.map(\.path) == ["upstreams.quotes.url"])
    }
}
