import StorehouseServer
import Testing

@Suite struct ConfigurationErrorTests {
    @Test(arguments: [
        (#"{"http":{"prot":1}}"#, "http.prot (test.json): is not a known key; the nearest is http.port"),
        (#"{"port":1}"#, "port (test.json): is not a known key; the nearest is http.port"),
        (
            #"{"sessions":{"heartbeat":1}}"#,
            "sessions.heartbeat (test.json): is not a known key; the nearest is streams.heartbeat"
        ),
        (#"{"htpp":{"port":1}}"#, "htpp (test.json): is not a known key; the nearest is http"),
        (
            #"{"http.port":1}"#,
            "http.port (test.json): is not a known key; the nearest is http.port, with each section written as an object of its own"
        ),
        (#"{"http":8080}"#, "http (test.json): must be an object"),
        (#"{"http":null}"#, "http (test.json): must be an object"),
        (#"{"http":{"port":"8080"}}"#, #"http.port (test.json): must be a whole number from 0 to 65535, not "8080""#),
        (#"{"http":{"port":65536}}"#, "http.port (test.json): must be a whole number from 0 to 65535, not 65536"),
        (#"{"http":{"port":-1}}"#, "http.port (test.json): must be a whole number from 0 to 65535, not -1"),
        (#"{"http":{"port":1.5}}"#, "http.port (test.json): must be a whole number from 0 to 65535, not 1.5"),
        (#"{"http":{"port":null}}"#, "http.port (test.json): must be a whole number from 0 to 65535, not null"),
        (#"{"http":{"port":1e99}}"#, "http.port (test.json): must be a whole number from 0 to 65535, not 1e99"),
        (
            #"{"http":{"maxHeaderBytes":1023}}"#,
            "http.maxHeaderBytes (test.json): must be a whole number from 1024 to 1048576, not 1023"
        ),
        (
            #"{"http":{"idleTimeout":0}}"#,
            "http.idleTimeout (test.json): must be a number of seconds from 0.001 to 86400, not 0"
        ),
        (
            #"{"http":{"idleTimeout":1e999}}"#,
            "http.idleTimeout (test.json): must be a number of seconds from 0.001 to 86400, not 1e999"
        ),
        (
            #"{"http":{"idleTimeout":"1s"}}"#,
            #"http.idleTimeout (test.json): must be a number of seconds from 0.001 to 86400, not "1s""#
        ),
        (
            #"{"upstreams":{"maxDelay":-0.1}}"#,
            "upstreams.maxDelay (test.json): must be a number of seconds from 0 to 3600, not -0.1"
        ),
        (#"{"http":{"host":""}}"#, #"http.host (test.json): must be a host name or an IP address, not """#),
        (#"{"http":{"host":"a\nb"}}"#, #"http.host (test.json): must be a host name or an IP address, not "a\\nb""#),
        (
            #"{"log":{"level":"trace"}}"#,
            #"log.level (test.json): must be "debug" or "info" or "warning" or "error", not "trace""#
        ),
        (
            #"{"storage":{"kind":"mongo"}}"#,
            #"storage.kind (test.json): must be "memory" or "sqlite" or "redis", not "mongo""#
        ),
        (
            #"{"access":{"nameClaim":"name"}}"#,
            #"access.nameClaim (test.json): must be a JSON Pointer such as "/name", not "name""#
        ),
        (
            #"{"access":{"rolesClaim":"/a~2"}}"#,
            #"access.rolesClaim (test.json): must be a JSON Pointer such as "/realm_access/roles", not "/a~2""#
        ),
        (
            #"{"access":{"rolesClaim":["roles"]}}"#,
            #"access.rolesClaim (test.json): must be a JSON Pointer such as "/realm_access/roles", not ["roles"]"#
        ),
        (#"{"log":{"actors":"all"}}"#, #"log.actors (test.json): must be "mark" or "plain" or "off", not "all""#),
        (#"{"inspector":{"enabled":1}}"#, "inspector.enabled (test.json): must be true or false, not 1"),
        (
            #"{"http":{"allowedOrigins":["https://a.example/"]}}"#,
            #"http.allowedOrigins (test.json): must be a list of origins such as "https://example.org", with no slash at the end, or of "*", not ["https://a.example/"]"#
        ),
        ("[]", "test.json: must be a JSON object"),
        ("", "test.json: is not JSON: There is no JSON value at line 1, column 1"),
        (#"{"http":}"#, "test.json: is not JSON: Unexpected '}' at line 1, column 9"),
        ("{\n  \"é\": 1,,\n}", "test.json: is not JSON: Unexpected ',' at line 2, column 10"),
        (#"{"http":{},"http":{}}"#, "test.json: is not JSON: An object has a member name twice at line 1, column 12"),
        (#"{"a\nb":1}"#, #"a\nb (test.json): is not a known key; 'check-config' prints all keys"#),
    ])
    func anErrorInTheFileIsOneLine(file: String, line: String) {
        #expect(Configuration.errors(file: file) == [line])
    }

    @Test(arguments: [
        (
            "STOREHOUSE_HTTP_PROT", "1",
            "STOREHOUSE_HTTP_PROT: is not a known key; the nearest is STOREHOUSE_HTTP_PORT (http.port)"
        ),
        ("STOREHOUSE_", "1", "STOREHOUSE_: is not a known key; 'check-config' prints all keys"),
        (
            "STOREHOUSE_http_port", "1",
            "STOREHOUSE_http_port: is not a known key; the nearest is STOREHOUSE_HTTP_PORT (http.port)"
        ),
        (
            "STOREHOUSE_HTTP_PORT", "",
            #"http.port (STOREHOUSE_HTTP_PORT): must be a whole number from 0 to 65535, not """#
        ),
        (
            "STOREHOUSE_HTTP_PORT", "http",
            #"http.port (STOREHOUSE_HTTP_PORT): must be a whole number from 0 to 65535, not "http""#
        ),
        (
            "STOREHOUSE_HTTP_IDLE_TIMEOUT", "inf",
            #"http.idleTimeout (STOREHOUSE_HTTP_IDLE_TIMEOUT): must be a number of seconds from 0.001 to 86400, not "inf""#
        ),
        (
            "STOREHOUSE_UPSTREAMS_EMBEDDED", "yes",
            #"upstreams.embedded (STOREHOUSE_UPSTREAMS_EMBEDDED): must be true or false, not "yes""#
        ),
    ])
    func anErrorInTheEnvironmentIsOneLine(variable: String, text: String, line: String) {
        #expect(Configuration.errors(environment: [variable: text]) == [line])
    }

    @Test func anErrorInAFlagNamesTheFlag() {
        let flag = ConfigurationFlag(name: "--port", path: "http.port", text: "70000")
        #expect(
            Configuration.errors(flags: [flag])
                == ["http.port (--port): must be a whole number from 0 to 65535, not 70000"])
    }

    @Test(arguments: [
        "storage.foo", "storage.redis.foo", "foo", "foo.bar", "http.x", "", "-",
    ])
    func aKeyThatIsFarFromAllHasNoNearest(key: String) {
        let flag = ConfigurationFlag(name: "--set", path: key, text: "1")
        #expect(
            Configuration.errors(flags: [flag]) == [
                "\(key) (--set): is not a known key; 'check-config' prints all keys"
            ])
    }

    /// A misspelt name is near to the right one wherever that is.
    @Test(arguments: [
        ("http.prot", "http.port"), ("prot", "http.port"), ("sessions.heartbeat", "streams.heartbeat"),
        ("limits.action", "limits.actions"), ("limits.actions.foo", "limits.actions"),
        ("limits.actions.rat", "limits.actions.rate"),
        ("storage.redis.ulr", "storage.redis.url"), ("stroage.kind", "storage.kind"),
    ])
    func theNearestKeyIsNamed(key: String, nearest: String) {
        let flag = ConfigurationFlag(name: "--set", path: key, text: "1")
        #expect(
            Configuration.errors(flags: [flag]) == ["\(key) (--set): is not a known key; the nearest is \(nearest)"])
    }

    @Test func everyErrorIsReportedAtOnce() {
        let lines = Configuration.errors(
            file: #"{"http":{"port":-1,"x":1},"log":{"level":1}}"#, environment: ["STOREHOUSE_HTTP_PORT": "a"],
            flags: [ConfigurationFlag(name: "--host", path: "http.host", text: "")])
        #expect(lines.count == 5)
    }

    @Test func aLongValueIsShortened() {
        let long = String(repeating: "9", count: 1000)
        let lines = Configuration.errors(file: #"{"http":{"port":\#(long)}}"#)
        #expect(lines.count == 1 && lines.allSatisfy { $0.count < 200 && $0.hasSuffix("…") })
    }
}
