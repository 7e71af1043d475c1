import HTTP
import Security
import StorehouseServer
import Testing

@Suite("The access rules")
struct AccessRuleTests {
    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "QUERY",
    ]

    @Test("cover exactly the methods of each resource", arguments: Route.allCases)
    func coverMethods(route: Route) {
        let allowed = route.allow.split(separator: ", ").map(String.init)
        for name in Self.methods {
            let rule = route.accessRule(for: HTTPMethod(name))
            #expect((rule != nil) == (allowed.contains(name) || name == "OPTIONS"), "\(name) \(route.path)")
        }
    }

    @Test(
        "leave nothing below /sessions, /shared and /stores open, and nothing below /admin to users",
        arguments: Route.allCases)
    func areStrict(route: Route) {
        for name in Self.methods where name != "OPTIONS" {
            guard let rule = route.accessRule(for: HTTPMethod(name)) else { continue }
            switch route.path.split(separator: "/").first {
            case "sessions"?:
                guard case .permission = rule else {
                    Issue.record("\(name) \(route.path) needs no permission")
                    continue
                }
                #expect(rule != .permission(.admin))
            case "shared"?:
                guard case .holder(let permission) = rule else {
                    Issue.record("\(name) \(route.path) needs no share")
                    continue
                }
                #expect([.read, .act, .presence].contains(permission))
            case "stores"?: #expect(rule == .authenticated)
            case "admin"?: #expect(rule == .operators)
            default: #expect(rule == .open, "\(name) \(route.path)")
            }
        }
    }

    @Test("demand the permission to change something for every method that is not safe", arguments: Route.allCases)
    func demandMore(route: Route) {
        for name in ["POST", "PUT", "DELETE"] {
            guard let rule = route.accessRule(for: HTTPMethod(name)) else { continue }
            #expect(
                rule != .permission(.read) && rule != .holder(.read) && rule != .open && rule != .authenticated
                    && rule != .permission(.presence) && rule != .holder(.presence),
                "\(name) \(route.path)")
        }
    }
}
