import JSON
import Security
import Stores
import Testing

@Suite("The actor of a token")
struct ActorClaimsTests {
    init() { #expect(CryptoLibrary.load() == nil) }

    private static func claims(
        _ members: JSONObject, _ places: ActorClaims = ActorClaims()
    ) throws -> TokenClaims {
        var claims: JSONObject = ["sub": "ada", "exp": 4_102_444_800]
        for (name, value) in members { claims[name] = value }
        let key = try #require(VerificationKey(secret: TokenVerifierTests.secret))
        let verifier = TokenVerifier(keys: [key], actorClaims: places)
        return try TokenVerifierTests.outcome(TokenVerifierTests.token(.object(claims)), verifier).get()
    }

    private static func actor(_ members: JSONObject) throws -> Actor { try claims(members).actor }

    private static func places(name: String, roles: String) throws -> ActorClaims {
        var places = ActorClaims()
        places.name = try JSONPointer(name)
        places.roles = try JSONPointer(roles)
        return places
    }

    @Test("is the subject with its name and its roles")
    func all() throws {
        let actor = try Self.actor(["name": "Ada", "storehouse": ["roles": ["cashier", "usher"]]])
        #expect(actor == .user("ada", name: "Ada", roles: ["cashier", "usher"]))
        #expect(try Self.actor([:]) == .user("ada"))
    }

    @Test("has the name and the roles from the claims that the configuration points to")
    func places() throws {
        let members: JSONObject = [
            "preferred/name": "Ada", "name": "other", "realm_access": ["roles": ["cashier"]],
            "storehouse": ["roles": ["other"]],
        ]
        let places = try Self.places(name: "/preferred~1name", roles: "/realm_access/roles")
        #expect(try Self.claims(members, places).actor == .user("ada", name: "Ada", roles: ["cashier"]))
        let nowhere = try Self.places(name: "", roles: "/storehouse/roles/0")
        #expect(try Self.claims(members, nowhere).actor == .user("ada"))
    }

    @Test("has no name where the claim is another type, too long, or deceives a reader")
    func names() throws {
        let names: [JSONValue] = [
            7, .null, ["Ada"], ["first": "Ada"], "", "A\nda", "A\u{0}da", "A\u{7f}da", "A\u{85}da", "\u{202e}adA",
            "A\u{2066}da", "A\u{200f}da", "A\u{61c}da", "A\u{2028}da", .string(String(repeating: "a", count: 257)),
            .string(String(repeating: "é", count: 129)),
        ]
        for name in names { #expect(try Self.actor(["name": name]) == .user("ada"), "\(name)") }
        for name in ["Ada Łovelace", "עדה", String(repeating: "é", count: 128), "👩‍🚀", "cafe\u{301}"] {
            #expect(try Self.actor(["name": .string(name)]) == .user("ada", name: name), "\(name)")
        }
    }

    @Test("has the first 32 roles that are texts of 1 to 64 characters, and is valid all the same")
    func roles() throws {
        func roles(_ value: JSONValue) throws -> [String] { try Self.actor(["storehouse": ["roles": value]]).roles }
        for value in ["cashier", 7, .null, ["cashier": true], true] as [JSONValue] {
            #expect(try roles(value).isEmpty, "\(value)")
        }
        let long = String(repeating: "é", count: 64)
        let mixed: JSONValue = [
            "a", 7, .null, ["b"], "", .string(long), .string(long + "x"), "c", "c", "cafe\u{301}", "caf\u{e9}",
        ]
        #expect(try roles(mixed).map { ActorID($0) } == ["a", ActorID(long), "c", "c", "cafe\u{301}", "caf\u{e9}"])
        let many = (0..<40).map { "r\($0)" }
        #expect(try roles(.array(many.map(JSONValue.string))) == Array(many.prefix(32)))
    }

    @Test("takes no right away with its roles, where the token does not limit its permissions")
    func rights() throws {
        for storehouse in [["roles": ["cashier"]], ["roles": 7], ["roles": []]] as [JSONValue] {
            let claims = try Self.claims(["storehouse": storehouse])
            #expect(claims.permissions == .allButAdmin && claims.stores == nil && claims.sessions.isEmpty)
        }
        let reader = try Self.claims(["storehouse": ["may": ["read"], "roles": ["cashier"]]])
        #expect(reader.permissions == Permissions([.read]) && reader.actor.roles == ["cashier"])
    }

    @Test("is no guest: a subject that looks like one is refused, also with an accent behind it")
    func guests() throws {
        for subject in ["guest:17", "guest:", "guest:\u{301}17"] {
            #expect(throws: TokenError.claim("sub")) { try Self.claims(["sub": .string(subject)]) }
        }
        for subject in ["guest", "Guest:17", "a guest:17", "\u{ff47}uest:17"] {
            #expect(try Self.claims(["sub": .string(subject)]).actor == .user(ActorID(subject)))
        }
    }

    @Test("tells subjects apart that differ in their spelling in Unicode only")
    func twins() throws {
        let (one, other) = (try Self.actor(["sub": "caf\u{e9}"]), try Self.actor(["sub": "cafe\u{301}"]))
        #expect(one.id != other.id && one != other)
    }

    @Test("of a megabyte of claims is never made, and that of deep or many claims at once")
    func size() throws {
        let token = try TokenVerifierTests.token([
            "sub": "ada", "exp": 4_102_444_800,
            "storehouse": ["roles": [.string(String(repeating: "x", count: 1 << 20))]],
        ])
        #expect(TokenVerifierTests.refusal(token, try TokenVerifierTests.verifier()) == .malformed)
        let many = JSONValue.array((0..<1000).map { .string("r\($0)") })
        #expect(try Self.actor(["storehouse": ["roles": many]]).roles.count == 32)
        let deep = (0..<400).reduce(JSONValue.string("cashier")) { value, _ in .array([value]) }
        #expect((try? Self.actor(["storehouse": ["roles": deep]]).roles.isEmpty) != false)
    }
}
