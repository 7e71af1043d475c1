import CommandLine
import Testing

/// The texts in the place of a URL.
@Suite struct SessionPlaceTests {
    private static let id = "9GZ3mXk0cYbq2vT1sQeRpA"

    private static func url(_ words: [String], _ environment: [String: String] = [:]) throws -> String? {
        switch try Invocation.parse(words, environment: environment) {
        case .watch(let command): command.url.text
        case .session(.send(let command)): command.url.text + " " + command.actions.map(\.type).joined(separator: " ")
        case .session(.open(let command)): command.address
        default: nil
        }
    }

    @Test(arguments: [
        (["watch", id], nil, "http://localhost:8080/sessions/\(id)"),
        (["watch", id], "https://a/base/", "https://a/base/sessions/\(id)"),
        (["watch", id], "https://a/base/sessions/x", "https://a/base/sessions/\(id)"),
        (["watch"], "https://a/sessions/x", "https://a/sessions/x"),
        (["watch", "http://b/sessions/y"], "https://a/sessions/x", "http://b/sessions/y"),
        (["send", "b/c"], "https://a/sessions/x", "https://a/sessions/x b/c"),
        (["send", "me", "b/c"], "https://a", "https://a/sessions/me b/c"),
        (["send", "b/c", "--store", "app"], nil, "http://localhost:8080 b/c"),
        (["send", "b/c", "--store", "app"], "https://a/sessions/x", "https://a b/c"),
        (["send", "-"], "https://a/sessions/x", "https://a/sessions/x "),
        (["open"], nil, "http://localhost:8080/"),
        (["open", id], nil, "http://localhost:8080/#\(id)"),
        (["open", "http://a/base/shared/s-1"], nil, "http://a/base/#share/s-1"),
    ])
    func aPlaceIsCompleted(words: [String], variable: String?, text: String) throws {
        #expect(try Self.url(words, variable.map { ["STOREHOUSE_URL": $0] } ?? [:]) == text)
    }

    @Test(arguments: ["nothing", "ftp://a", "http://user:PASSWORD@a/"])
    func aWrongVariableIsNamed(text: String) {
        let error = #expect(throws: UsageError.self) { try Self.url(["watch"], ["STOREHOUSE_URL": text]) }
        #expect(
            error?.description.contains("STOREHOUSE_URL: ") == true && error?.description.contains("PASSWORD") == false)
    }
}
