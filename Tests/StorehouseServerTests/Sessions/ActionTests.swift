import JSON
import StorehouseServer
import StoresTesting
import Testing

/// Actions: valid and invalid ones, their results, and the responses.
@Suite struct ActionTests {
    @Test(arguments: [("gzip", 415), ("identity, br", 415), ("Identity", 200)])
    func anEncodedBodyIsRefused(_ coding: String, _ status: Int) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.dispatch("counter/increment", fields: [("Content-Encoding", coding)])
            #expect(response.status == status)
            if status == 415 {
                #expect(response.code == "unsupported-media-type" && response["accept-encoding"] == "identity")
            }
        }
    }

    @Test(arguments: ["application/json", "text/plain"])
    func twoContentTypesAreRefused(_ second: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.dispatch("counter/increment", fields: [("Content-Type", second)])
            #expect(response.status == 400 && response.code == "malformed-request")
            #expect(try await session.revision() == 0)
        }
    }

    @Test func aCommitAnswersWithRevisionOutcomeStateAndEffects() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.increment(5)
            #expect(response.status == 200)
            #expect(response.taggedRevision == 1)
            #expect(response["content-type"] == "application/json")
            #expect(response.json.asObject?.names == ["revision", "outcome", "state", "effects"])
            #expect(response.revision == 1)
            #expect(response[json: "outcome"] == "committed")
            #expect(response.at("/state/counter/count") == 5)
            #expect(response[json: "effects"] == [])
        }
    }

    @Test func aCommitWithoutChangesIsARevisionToo() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for revision in 1...2 {
                let response = try await session.dispatch("calendar/selectDay", ["day": "2024-02-29"])
                #expect(response.revision == revision)
                #expect(response[json: "outcome"] == "committed")
            }
        }
    }

    @Test func actionsWithoutEffectOnTheStateAreIgnored() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.dispatch("animal/cancelFetch")
            #expect(response.status == 200)
            #expect(response.taggedRevision == 0)
            #expect(response[json: "outcome"] == "ignored")
            #expect(response.revision == 0)
            #expect(try await session.revision() == 0)
        }
    }

    @Test(arguments: [false, true])
    func aRejectionTellsTheRevisionAtWhichItWasDecided(isByShare: Bool) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let path = isByShare ? try await session.share().path : session.path
            let bodies: [JSONValue] = [
                ["type": "betslip/placeBet"], [["type": "counter/increment"], ["type": "betslip/placeBet"]],
            ]
            for revision in 0...1 {
                for (query, body) in ["", "?dryRun=true"].flatMap({ query in bodies.map { (query, $0) } }) {
                    let answer = try await api.send(TestRequest("POST", path + "/actions" + query, json: body))
                    #expect(answer.code == "action-rejected" && answer[json: "reason"] == "empty-betslip")
                    #expect(answer.revision == revision && answer.taggedRevision == revision)
                    #expect(answer["etag"] == (try await api.get(path + "/state"))["etag"])
                }
                _ = try await session.increment()
            }
        }
    }

    /// The tag of a rejection is that of the state on which it was decided, so that it can be the condition of the next attempt.
    @Test func theTagOfARejectionIsACondition() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let tag = try #require(try await session.dispatch("betslip/placeBet")["etag"])
            #expect(try await session.dispatch("counter/increment", fields: [("If-Match", tag)]).status == 200)
            #expect(try await session.dispatch("counter/increment", fields: [("If-Match", tag)]).status == 412)
        }
    }

    @Test func theEffectsThatAnActionStartedAreListed() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            #expect(try await session.dispatch("animal/fetchAnimal")[json: "effects"] == ["animal.fetch"])
        }
    }

    @Test(arguments: [
        #"{"type":"counter/increment"}"#, #"{"type":"counter/increment","payload":{}}"#,
        #"{"type":"counter/increment","payload":{"by":1}}"#, #"{"type":"counter/increment","payload":{"by":1.0}}"#,
        "\n {\"payload\" : {\"by\" : 1e0} , \"type\" : \"counter\\u002fincrement\"}\t",
    ])
    func theSameActionCanBeWrittenInManyWays(_ body: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await api.send(
                TestRequest("POST", session.path + "/actions", body: Array(body.utf8)))
            #expect(response.status == 200)
            #expect(response.at("/state/counter/count") == 1)
        }
    }

    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "Application/JSON;charset=\"UTF-8\"",
        "application/x-www-form-urlencoded",
    ])
    func contentTypesOfCurlAndOfJSONAreTaken(_ type: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let body = Array(#"{"type":"counter/increment"}"#.utf8)
            let path = session.path + "/actions"
            #expect(
                try await api.send(TestRequest("POST", path, [("Content-Type", type)], body: body)).status == 200)
        }
    }

    @Test(arguments: [
        "text/plain", "application/xml", "multipart/form-data; boundary=x", "application/json; charset=latin1",
        "nonsense", "",
    ])
    func otherContentTypesAreNot(_ type: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let body = Array(#"{"type":"counter/increment"}"#.utf8)
            for path in [session.path + "/actions", "/sessions"] {
                let response = try await api.send(TestRequest("POST", path, [("Content-Type", type)], body: body))
                #expect(response.status == 415)
                #expect(response.code == "unsupported-media-type")
            }
            #expect(try await session.revision() == 0)
        }
    }

    @Test func selectNarrowsTheStateOfTheAnswer() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let counted = try await session.dispatch("counter/increment", query: "?select=/counter/count")
            #expect(counted[json: "state"] == 1)
            let absent = try await session.dispatch("counter/increment", query: "?select=/nothing/here")
            #expect(absent[json: "state"] == .null)
            let named = try await session.dispatch("tasks/add", ["title": "Read"], query: "?select=summary")
            #expect(named.at("/state/open") == 1)
            let malformed = try await session.dispatch("counter/increment", query: "?select=counter")
            #expect(malformed.code == "malformed-pointer")
            #expect(try await session.revision() == 3)
        }
    }

    @Test func aRejectedActionNamesItsReasonAndCommitsNothing() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.dispatch("betslip/placeBet")
            #expect(response.status == 409)
            #expect(response.code == "action-rejected")
            #expect(response[json: "reason"] == "empty-betslip")
            #expect(response[json: "index"] == nil)
            #expect(try await session.revision() == 0)
        }
    }

    @Test func anUnknownActionComesWithTheNearestKnown() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.dispatch("counter/incremnt")
            #expect(response.status == 422)
            #expect(response.code == "unknown-action")
            #expect(response[json: "nearest"]?.asArray?.contains("counter/increment") == true)
            #expect(response[json: "detail"]?.asString?.contains("counter/increment") == true)
            // Known, but not to this kind.
            let other = try await api.session("betting")
            #expect(try await other.dispatch("animal/fetchAnimal").code == "unknown-action")
        }
    }

    @Test(
        arguments: [
            ("animal/setCurrentAnimal", ["animal": "Cat"]), ("login/authenticated", [:]),
            ("animal/fetchFailed", ["code": "timeout", "message": "x"]),
            ("login/failed", ["code": "networkError", "message": "x"]),
        ] as [(String, JSONValue)])
    func internalActionsAreForbidden(_ type: String, _ payload: JSONValue) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.dispatch(type, payload)
            #expect(response.status == 403)
            #expect(response.code == "internal-action")
            #expect(try await session.revision() == 0)
        }
    }

    @Test(
        arguments: [
            (#"{"type":"counter/increment","payload":{"by":0}}"#, ["/payload/by"]),
            (#"{"type":"counter/increment","payload":{"by":1000001}}"#, ["/payload/by"]),
            (#"{"type":"counter/increment","payload":{"by":1.5}}"#, ["/payload/by"]),
            (#"{"type":"counter/increment","payload":{"by":"1"}}"#, ["/payload/by"]),
            (
                #"{"type":"counter/increment","payload":{"by":99999999999999999999999999999999999999999}}"#,
                ["/payload/by"]
            ),
            (#"{"type":"counter/increment","payload":{"by":1e400}}"#, ["/payload/by"]),
            (#"{"type":"counter/increment","payload":{"bye":1}}"#, ["/payload/bye"]),
            (#"{"type":"counter/increment","payload":[]}"#, ["/payload"]),
            (#"{"type":"counter/increment","payload":null}"#, ["/payload"]),
            (#"{"type":"counter/increment","pay":{}}"#, ["/pay"]),
            (#"{"payload":{}}"#, ["/type"]),
            (#"{"type":7}"#, ["/type"]),
            (#"{"type":"calendar/selectDay","payload":{"day":"2023-02-29"}}"#, ["/payload/day"]),
            (#"{"type":"tasks/add","payload":{"title":""}}"#, ["/payload/title"]),
            (#"{"type":"tasks/add"}"#, ["/payload/title"]),
            (#""counter/increment""#, [""]), ("7", [""]), ("null", [""]),
        ] as [(String, [String])])
    func whatDoesNotFitTheSchemaIsPointedAt(_ body: String, _ pointers: [String]) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await api.send(TestRequest("POST", session.path + "/actions", body: Array(body.utf8)))
            #expect(response.status == 422)
            #expect(response.code == "invalid-payload")
            let errors = try #require(response[json: "errors"]?.asArray)
            #expect(errors.map { $0["pointer"]?.asString } == pointers)
            #expect(errors.allSatisfy { $0["detail"]?.asString?.isEmpty == false })
            #expect(try await session.revision() == 0)
        }
    }

    @Test(arguments: [("{", 1), (#"{"type":}"#, 8), ("", 0), ("{} x", 3), ("type=x", 1), (#"{"a":1,"a":2}"#, 7)])
    func malformedJSONIsReportedWithItsOffset(_ body: String, _ offset: Int) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let request = TestRequest("POST", session.path + "/actions", body: Array(body.utf8))
            let response = try await api.send(request)
            #expect(response.status == 400)
            #expect(response.code == "malformed-json")
            #expect(response[json: "detail"]?.asString?.contains("\(offset)") == true)
        }
    }
}
