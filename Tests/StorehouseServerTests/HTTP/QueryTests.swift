import HTTP
import JSON
import StorehouseServer
import Testing

/// Parameters of a query are applied, refused or ignored.
@Suite struct QueryTests {
    @Test(arguments: [
        "/actions?dryrun=true", "/actions?dry_run=true", "/actions?DryRun=true", "/actions?selct=/counter",
        "/actions?s%65lct=/counter", "/actions?x=1&dryrun=true",
    ])
    func aMisspelledParameterIsRefused(_ path: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await api.post(session.path + path, json: ["type": "counter/increment"])
            #expect(response.status == 400)
            #expect(response.code == "malformed-request")
            #expect(response[json: "detail"]?.asString?.contains("Did you mean") == true)
            #expect(try await session.read().revision == 0)
        }
    }

    @Test(arguments: [
        // A misspelled name.
        "/state?revison=0", "/state?Select=/counter", "/actions?limt=1", "/actions?afte=0", "/events?effect=true",
        "/events?change=patch", "/events?colour=true", "/events?lasteventid=x", "/events?last-event-id=x",
        // A duplicate.
        "/state?select=/counter&select=/user", "/state?select=/counter&s%65lect=/counter",
        "/state?revision=0&revision=0",
        "/actions?limit=1&after=0&limit=2", "/events?effects=true&effects=false", "/state?select&select",
    ])
    func anAmbiguousQueryIsRefused(_ path: String) async throws {
        try await TestAPI.run { api in
            let response = try await api.session().read(path)
            #expect(response.status == 400)
            #expect(response.code == "malformed-request")
        }
    }

    @Test(arguments: [
        "/state?_=1732270000", "/state?utm_source=mail&select=/counter", "/state?x=1&x=2", "/state?&&", "/state?=",
        "/actions?t=1", "?select=/counter&select=/user", "?selct=1", "/state?dryRun=true",
    ])
    func unknownParametersAreIgnored(_ path: String) async throws {
        try await TestAPI.run { api in
            let response = try await api.session().read(path)
            #expect(response.status == 200)
        }
    }

    /// The server uses one list; the OpenAPI document contains the other.
    @Test func theParametersAreThoseOfTheDocument() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            var count = 0
            for operation in described.operations {
                let parameters = (operation.json["parameters"]?.asArray ?? []).compactMap(described.resolved)
                let described = parameters.filter { $0["in"] == "query" }.compactMap { $0["name"]?.asString }
                let route = try #require(Route.allCases.first { $0.path == operation.path })
                let method = HTTPMethod(operation.method)
                #expect(
                    route.parameters(of: method).sorted() == described.sorted(), "\(operation.method) \(route.path)")
                count += described.count
            }
            #expect(count > 10)
        }
    }
}
