#if os(Linux)
    import JSON
    import RedisTesting
    import Testing

    /// docs/reference/metrics.md lists what a server writes, and the dashboard and the alerts use nothing else.
    @Suite struct MetricsPageTests {
        /// A row of the table, or a family that a server has written: its type and the names of its labels.
        private struct Family: Equatable {
            let type: String
            let labels: Set<String>
        }

        private static func documented() throws -> [String: Family] {
            let page = try DocumentationPage("docs/reference/metrics.md")
            var families: [String: Family] = [:]
            for line in page.prose where line.hasPrefix("| `storehouse_") || line.hasPrefix("| `process_") {
                let cells = line.split(separator: "|").map { $0.split(separator: " ") }
                let name = String(cells[0].joined().filter { $0 != "`" })
                let labels = cells[2].joined().split { $0 == "," || $0 == "`" }.map(String.init)
                families[name] = Family(type: cells[1].joined(), labels: Set(labels))
            }
            return families
        }

        private static func written(_ text: String) -> [String: Family] {
            var (families, name, type): ([String: Family], String, String) = ([:], "", "")
            for line in text.split(separator: "\n") where !line.hasPrefix("# HELP") {
                let words = line.split(separator: " ").map(String.init)
                if line.hasPrefix("# TYPE") {
                    (name, type) = (words[2], words[3])
                } else {
                    let labels = line.matches(of: /[{,]([a-z]+)="/).map { String($0.1) }.filter { $0 != "le" }
                    let known = families[name]?.labels ?? []
                    families[name] = Family(type: type, labels: known.union(labels))
                }
            }
            return families
        }

        /// The program with a database, and with one remote service that cannot be reached; and the program with Redis.
        @Test func theTableListsWhatAServerWrites() async throws {
            let durable = try DurableServer()
            let environment = [
                "STOREHOUSE_STORAGE_KIND": "sqlite", "STOREHOUSE_STORAGE_PATH": durable.path,
                "STOREHOUSE_UPSTREAMS_AUTH_URL": "http://127.0.0.1:1/login",
            ]
            let text = try await ServerProcess.run(environment) { server in
                let client = try server.client()
                func dispatch(_ session: String, _ action: JSONValue) async throws {
                    let request = TestRequest("POST", session + "/actions", [("Prefer", "wait=3600")], json: action)
                    #expect(try await client.exchange(request).status == 200)
                }
                try await dispatch(try await server.sessionPath(), ["type": "animal/fetchAnimal"])
                let login = try await client.exchange(TestRequest("POST", "/sessions", json: ["store": "login"]))
                let session = try #require(login["location"])
                for (name, value) in [("username", "some username"), ("password", "some password")] {
                    try await dispatch(
                        session, ["type": "login/enteringCredential", "payload": [name: .string(value)]])
                }
                try await dispatch(session, ["type": "login/authenticate"])
                return try await client.exchange(TestRequest("GET", "/metrics")).text
            }
            let redis = try RedisServer()
            let node = [
                "STOREHOUSE_STORAGE_KIND": "redis", "STOREHOUSE_STORAGE_REDIS_URL": "unix://\(redis.socket)",
                "STOREHOUSE_STORAGE_KEY": String(repeating: "7", count: 64),
                "STOREHOUSE_CLUSTER_ADDRESS": "127.0.0.1:1",
                "STOREHOUSE_CLUSTER_SECRET": String(repeating: "s", count: 32),
            ]
            let textOfNode = try await ServerProcess.run(node) { server in
                try await server.client().exchange(TestRequest("GET", "/metrics")).text
            }
            let (documented, written) = (try Self.documented(), Self.written(text + textOfNode))
            #expect(documented.count > 35)
            for name in Set(documented.keys).union(written.keys).sorted() {
                #expect(documented[name] == written[name], "\(name)")
            }
        }

        @Test(arguments: ["Examples/Deploy/dashboard.json", "Examples/Deploy/alerts.yml"])
        func everyMetricThatIsUsedExists(_ path: String) throws {
            let known = Set(try Self.documented().keys)
            let text = try ProjectFile.text(of: path)
            let used = Set(text.matches(of: /(?:storehouse|process)_[a-z_]+[a-z]/).map { String($0.0) })
            #expect(used.count > 5)
            for name in used.sorted() {
                let family = ["_bucket", "_sum", "_count"].first { name.hasSuffix($0) && !known.contains(name) }
                #expect(known.contains(String(name.dropLast(family?.count ?? 0))), "\(path) uses \(name)")
            }
        }

        @Test func eachOfTheTwelveAlertsSaysWhatToDo() throws {
            let lines = try ProjectFile.text(of: "Examples/Deploy/alerts.yml").split(separator: "\n")
            let alerts = lines.filter { $0.contains("- alert: ") }
            #expect(alerts.count == 12)
            #expect(lines.count { $0.contains("description: ") } == alerts.count)
            let page = try DocumentationPage("docs/metrics.md")
            for alert in alerts.compactMap({ $0.split(separator: " ").last }) {
                #expect(page.spans.contains { $0 == alert }, "docs/metrics.md does not name \(alert)")
            }
        }
    }
#endif
