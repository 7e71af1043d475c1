import RemoteServices
import RemoteTesting
import Stores
import StoresTesting
import Testing

struct Quotes: Sendable, Equatable {
    var isLoading = false
    var text: String?
    var problem: RemoteFailure.Code?
}

enum QuoteAction: Sendable, Equatable {
    case fetch(author: String)
    case cancel
    case arrived(String)
    case failed(RemoteFailure)
}

struct QuoteReducer: Reducer {
    func decide(_ action: QuoteAction, in state: Quotes) -> Decision { .accept }

    func reduce(_ state: inout Quotes, _ action: QuoteAction) {
        switch action {
        case .fetch: (state.isLoading, state.problem) = (true, nil)
        case .cancel: state.isLoading = false
        case .arrived(let text): (state.isLoading, state.text) = (false, text)
        case .failed(let failure): (state.isLoading, state.problem) = (false, failure.code)
        }
    }
}

/// The samples of remote calls.
@Suite struct QuoteSamples {
    private static func quotes(from client: any RemoteClient) -> RemoteMiddleware<Quotes, QuoteAction> {
        RemoteMiddleware(
            "quote.fetch", client,
            on: { commit in
                guard case .fetch(let author) = commit.action else { return nil }
                return RemoteRequest(target: "/quotes?author=" + RemoteRequest.percentEncoded(author))
            },
            cancels: { $0.action == .cancel },
            response: { response throws(RemoteFailure) in .arrived(try response.text(at: "quotes", "0", "text")) },
            failure: { .failed($0) },
            isCalling: { $0.isLoading })
    }

    private let client = ScriptedRemoteClient()

    private func store(_ state: Quotes = Quotes()) throws -> TestStore<Quotes, QuoteAction> {
        TestStore(state, reducer: QuoteReducer(), middleware: [Self.quotes(from: client)])
    }

    @Test func anActionBecomesARequestAndTheResponseAnAction() throws {
        let store = try store()
        try store.dispatch(.fetch(author: "Ada & Grace")) { $0.isLoading = true }
        client.reply(#"{"quotes":[{"text":"The engine weaves."}]}"#)
        try store.receive(.arrived("The engine weaves.")) {
            $0.isLoading = false
            $0.text = "The engine weaves."
        }
        #expect(client.requests == [RemoteRequest(target: "/quotes?author=Ada%20%26%20Grace")])
        try store.finish()
    }

    @Test(arguments: [
        (200, "{}", "application/json", RemoteFailure.Code.badBody), (200, "[", "application/json", .badBody),
        (200, #"{"quotes":[{"text":"a"}]}"#, "text/html", .badBody), (404, "{}", "application/json", .badStatus),
    ])
    func anUnusableResponseIsAFailure(_ status: Int, _ body: String, _ type: String, _ code: RemoteFailure.Code) async {
        let answer = RemoteResponse(status: status, contentType: type, body: Array(body.utf8))
        let client = ScriptedRemoteClient(always: .success(answer))
        let store = Store(Quotes(), reducer: QuoteReducer(), middleware: [Self.quotes(from: client)])
        await store.dispatch(.fetch(author: "a")).settled()
        #expect(store.state == Quotes(problem: code))
    }

    @Test(arguments: RemoteFailure.Code.allCases)
    func aFailedCallBecomesAnAction(_ code: RemoteFailure.Code) async {
        let client = ScriptedRemoteClient(always: .failure(RemoteFailure(code, "no")))
        let store = Store(Quotes(), reducer: QuoteReducer(), middleware: [Self.quotes(from: client)])
        await store.dispatch(.fetch(author: "a")).settled()
        #expect(store.state == Quotes(problem: code))
    }

    @Test func cancellingEndsTheCall() async throws {
        let store = Store(Quotes(), reducer: QuoteReducer(), middleware: [Self.quotes(from: client)])
        store.dispatch(.fetch(author: "a"))
        await client.called(times: 1)
        store.dispatch(.cancel)
        await client.cancelled(times: 1)
        #expect(store.state == Quotes())
    }

    @Test func aRestoredStoreDispatchesInterrupted() async {
        let store = Store(Quotes(isLoading: true), reducer: QuoteReducer(), middleware: [Self.quotes(from: client)])
        store.resume()
        #expect(store.state == Quotes(problem: .interrupted))
        let idle = Store(Quotes(), reducer: QuoteReducer(), middleware: [Self.quotes(from: client)])
        idle.resume()
        #expect(idle.state == Quotes())
    }

    @Test func anUnusableResponseIsReportedToTheClient() async throws {
        struct Noting: RemoteClient {
            let noted: @Sendable (RemoteFailure) -> Void

            func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteResponse {
                RemoteResponse(status: 500)
            }
            func reportUnusableResponse(_ failure: RemoteFailure) { noted(failure) }
        }
        await confirmation { noted in
            let client = Noting { failure in
                #expect(failure.code == .badStatus)
                noted()
            }
            let store = Store(Quotes(), reducer: QuoteReducer(), middleware: [Self.quotes(from: client)])
            await store.dispatch(.fetch(author: "a")).settled()
            #expect(store.state.problem == .badStatus)
        }
    }
}
