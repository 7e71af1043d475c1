import JSON
import Observability
import StorehouseServer
import Testing

/// The text exposition format: one group of lines for each metric family.
@Suite struct ExpositionTests {
    @Test func samplesAreGroupedByFamilyInWhateverOrderTheyAreAdded() throws {
        var writer = PrometheusWriter()
        for upstream in ["animal", "auth"] {
            let labels = [("upstream", upstream)]
            writer.counter("calls_total", "Calls.", 1, labels: labels)
            writer.gauge("waiting", "Waiting calls.", 2, labels: labels)
            writer.histogram("seconds", "Durations.", bounds: [0.1], counts: [1, 1], sum: 3, labels: labels)
        }
        let expected = """
            # HELP calls_total Calls.
            # TYPE calls_total counter
            calls_total{upstream="animal"} 1
            calls_total{upstream="auth"} 1
            # HELP waiting Waiting calls.
            # TYPE waiting gauge
            waiting{upstream="animal"} 2
            waiting{upstream="auth"} 2
            # HELP seconds Durations.
            # TYPE seconds histogram
            seconds_bucket{upstream="animal",le="0.1"} 1
            seconds_bucket{upstream="animal",le="+Inf"} 2
            seconds_sum{upstream="animal"} 3.0
            seconds_count{upstream="animal"} 2
            seconds_bucket{upstream="auth",le="0.1"} 1
            seconds_bucket{upstream="auth",le="+Inf"} 2
            seconds_sum{upstream="auth"} 3.0
            seconds_count{upstream="auth"} 2

            """
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
        _ = try Exposition(expected)
    }

    @Test func helpAndLabelsAreEscaped() {
        var writer = PrometheusWriter()
        writer.gauge("x", "a\\b\n\"c\"", 1, labels: [("l", "a\\b\n\"c\"")])
        let expected = "# HELP x a\\\\b\\n\"c\"\n# TYPE x gauge\nx{l=\"a\\\\b\\n\\\"c\\\"\"} 1\n"
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        "# HELP a A.\n# TYPE a gauge\na 1\n# HELP b B.\n# TYPE b gauge\nb 1\na{x=\"y\"} 1\n",
        "# HELP a A.\n# TYPE a gauge\na 1\n# HELP a A.\n# TYPE a gauge\na{x=\"y\"} 1\n",
        "# HELP a A.\n# TYPE a gauge\na 1\na 2\n", "a 1\n", "# TYPE a gauge\na 1\n", "# HELP a A.\n# TYPE a gauge\na 1",
    ])
    func theCheckRefusesBrokenExpositions(_ text: String) {
        #expect(throws: Wire.Failure.self) { try Exposition(text) }
    }

    #if os(Linux)
        /// The program itself, since it alone has two upstreams.
        @Test func eachFamilyOfAServerWithTwoUpstreamsIsOneGroup() async throws {
            try await ServerProcess.run { server in
                let client = try server.client()
                let session = try await server.sessionPath()
                let fetch = TestRequest("POST", session + "/actions", json: ["type": "animal/fetchAnimal"])
                #expect(try await client.exchange(fetch).status == 200)
                let exposition = try Exposition(try await client.exchange(TestRequest("GET", "/metrics")))
                for upstream in ["animal", "auth"] {
                    #expect(exposition.samples["storehouse_upstream_calls_total{upstream=\"\(upstream)\"}"] != nil)
                    #expect(exposition.samples["storehouse_upstream_call_seconds_sum{upstream=\"\(upstream)\"}"] != nil)
                }
            }
        }
    #endif
}

/// An exposition that was parsed strictly: each family once, as HELP, TYPE and then all of its samples.
struct Exposition {
    /// The values by name and labels.
    private(set) var samples: [String: Double] = [:]
    private var family: Substring = ""
    private var type: Substring = ""
    private var families: Set<Substring> = []

    init(_ response: TestResponse) throws {
        guard response.status == 200, response["content-type"] == "text/plain; version=0.0.4; charset=utf-8" else {
            throw Wire.Failure.malformed("no metrics but \(response.status)")
        }
        try self.init(response.text)
    }

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Wire.Failure.malformed("no newline at the end") }
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP "), words.count > 3 {
                guard families.insert(words[2]).inserted else { throw Wire.Failure.malformed("again: \(line)") }
                (family, type) = (words[2], "")
            } else if line.hasPrefix("# TYPE "), words.count == 4 {
                guard words[2] == family, type.isEmpty, ["counter", "gauge", "histogram"].contains(words[3]) else {
                    throw Wire.Failure.malformed(String(line))
                }
                type = words[3]
            } else {
                try addSample(line)
            }
        }
    }

    private mutating func addSample(_ line: Substring) throws {
        let pattern = /([a-z_]+)((?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) ([0-9.e+-]+)/
        guard let match = line.wholeMatch(of: pattern), let value = Double(match.3) else {
            throw Wire.Failure.malformed(String(line))
        }
        let suffixes = type == "histogram" ? ["_bucket", "_sum", "_count"] : type.isEmpty ? [] : [""]
        guard suffixes.contains(where: { match.1 == family + $0 }),
            samples.updateValue(value, forKey: String(match.1 + match.2)) == nil
        else { throw Wire.Failure.malformed("outside its family, or twice: \(line)") }
    }
}
