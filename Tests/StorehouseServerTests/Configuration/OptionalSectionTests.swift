import JSON
import StorehouseServer
import Testing

/// Sections that may be null as a whole, such as `limits.actions`.
@Suite struct OptionalSectionTests {
    private let variable = "STOREHOUSE_LIMITS_ACTIONS"

    private func flag(_ path: String, _ text: String) -> ConfigurationFlag {
        ConfigurationFlag(name: "--set", path: path, text: text)
    }

    @Test func theyAreNullByDefault() throws {
        #expect(
            Configuration().json["limits"] == [
                "actions": nil, "sessions": nil, "requests": nil, "signals": ["rate": 20, "burst": 40],
            ])
        for file in [
            #"{"limits":{"actions":null}}"#, #"{"limits":{"actions":{"rate":null,"burst":null}}}"#, #"{"limits":{}}"#,
        ] {
            #expect(try Configuration(file: Array(file.utf8)) == Configuration())
        }
    }

    @Test func aSectionIsShownAsItWasWritten() throws {
        let file = #"{"limits":{"actions":{"rate":2.5,"burst":10},"sessions":{"rate":3}}}"#
        let configuration = try Configuration(file: Array(file.utf8))
        #expect(configuration.limits.actions == .init(rate: 2.5, burst: 10))
        #expect(configuration.limits.sessions == .init(rate: 3))
        #expect(
            configuration.json["limits"] == [
                "actions": ["rate": 2.5, "burst": 10], "sessions": ["rate": 3, "burst": nil], "requests": nil,
                "signals": ["rate": 20, "burst": 40],
            ])
        #expect(try Configuration(file: Array(configuration.settingsDocument.utf8)) == configuration)
    }

    /// Signals are limited unless that is switched off.
    @Test func aLimitThatIsOnByDefaultCanBeChangedAndSwitchedOff() throws {
        let faster = try Configuration(flags: [flag("limits.signals.rate", "50")])
        #expect(faster.limits.signals == .init(rate: 50, burst: 40))
        let off = try Configuration(file: Array(#"{"limits":{"signals":null}}"#.utf8))
        #expect(off.limits.signals == .init())
        #expect(off.json["limits"]?["signals"] == .null)
        #expect(try Configuration(flags: [flag("limits.signals", "null")]) == off)
        let withoutRate = try Configuration(flags: [flag("limits.signals.rate", "null")])
        #expect(withoutRate.limits.signals == .init(burst: 40))
        #expect(withoutRate.limits.signals.rate == Configuration().limits.actions.rate)
        #expect(throws: ConfigurationError.self) {
            _ = try Configuration(flags: [flag("limits.signals.rate", "null"), flag("limits.signals.burst", "50")])
        }
    }

    /// The later source wins, member by member.
    @Test func theMembersOfSeveralSourcesAreMerged() throws {
        let file = Array(#"{"limits":{"actions":{"rate":1,"burst":2}}}"#.utf8)
        let environment = [variable + "_RATE": "10"]
        let flags = [flag("limits.actions.burst", "30"), flag("limits.requests.rate", "5")]
        let limits = try Configuration(file: file, environment: environment, flags: flags).limits
        #expect(limits.actions == .init(rate: 10, burst: 30))
        #expect(limits.requests == .init(rate: 5))
        for text in ["", "null"] {
            #expect(try Configuration(file: file, environment: [variable: text]).limits.actions == .init())
            #expect(try Configuration(file: file, flags: [flag("limits.actions", text)]).limits.actions == .init())
        }
    }

    @Test func aSectionCanBeSetAsJSON() throws {
        let text = #"{"rate":10,"burst":20}"#
        #expect(try Configuration(environment: [variable: text]).limits.actions == .init(rate: 10, burst: 20))
        #expect(try Configuration(flags: [flag("limits.actions", text)]).limits.actions == .init(rate: 10, burst: 20))
        // The variable of a member is read after that of its section.
        let both = [variable: text, variable + "_BURST": "40"]
        #expect(try Configuration(environment: both).limits.actions == .init(rate: 10, burst: 40))
    }

    @Test(arguments: [
        (#"{"limits":null}"#, "limits (test.json): must be an object"),
        (#"{"limits":{"actions":10}}"#, "limits.actions (test.json): must be an object with rate and burst, or null"),
        (
            #"{"limits":{"actions":{"rat":10}}}"#,
            "limits.actions.rat (test.json): is not a known key; the nearest is limits.actions.rate"
        ),
        (
            #"{"limits":{"action":{"rate":10}}}"#,
            "limits.action (test.json): is not a known key; the nearest is limits.actions"
        ),
        (
            #"{"limits":{"actions":{"rate":0,"burst":1}}}"#,
            "limits.actions.rate (test.json): must be a number from 0.001 to 1000000, or null, not 0"
        ),
        (
            #"{"limits":{"actions":{"rate":"fast","burst":1}}}"#,
            "limits.actions.rate (test.json): must be a number from 0.001 to 1000000, or null, not \"fast\""
        ),
        (
            #"{"limits":{"actions":{"rate":1,"burst":0.5}}}"#,
            "limits.actions.burst (test.json): must be a whole number from 1 to 1000000, or null, not 0.5"
        ),
        (
            #"{"limits":{"actions":{"burst":5}}}"#,
            "limits.actions.rate: is missing; limits.actions.burst alone is no limit"
        ),
    ])
    func anErrorInTheFileIsOneLine(file: String, line: String) {
        #expect(Configuration.errors(file: file) == [line])
    }

    @Test func anErrorNamesTheVariableOrTheFlag() {
        #expect(
            Configuration.errors(environment: [variable: "10"]) == [
                "limits.actions (\(variable)): must be an object with rate and burst, or null"
            ])
        #expect(
            Configuration.errors(environment: [variable + "_RAT": "10"]) == [
                "\(variable)_RAT: is not a known key; the nearest is \(variable)_RATE (limits.actions.rate)"
            ])
        #expect(
            Configuration.errors(environment: ["STOREHOUSE_LIMITS_ACTION": "10"]) == [
                "STOREHOUSE_LIMITS_ACTION: is not a known key; the nearest is \(variable) (limits.actions)"
            ])
        #expect(
            Configuration.errors(environment: [variable: #"{"rate":10,"brust":1}"#]) == [
                "limits.actions.brust (\(variable)): is not a known key; the nearest is limits.actions.burst"
            ])
        #expect(
            Configuration.errors(flags: [flag("limits.actions.rat", "1"), flag("limits.actions.rate", "many")]) == [
                "limits.actions.rat (--set): is not a known key; the nearest is limits.actions.rate",
                "limits.actions.rate (--set): must be a number from 0.001 to 1000000, or null, not \"many\"",
            ])
    }
}
