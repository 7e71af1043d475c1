import HTTP
import HTTPServer
import JSON
import Sessions
import StoreHosting
import Stores

/// How many entries of a list a client may ask for at once, and how many it gets by default.
enum PageSize {
    static let range = 1...1000
    static let usual = 100
}

// The values that handlers read from queries and header fields.
extension RequestHead {
    /// Requires that the client accepts JSON.
    func requireJSONAcceptable() throws(Problem) {
        guard fields.contains("accept"), !fields.first("accept", is: "*/*"), let json = Self.json,
            AcceptHeader(fields.values("accept")).quality(of: json) == 0
        else { return }
        throw Problem(.header(.accept(.json)))
    }

    // JSON is UTF-8, so a client may ask for that.
    private static let json = MediaType("application/json; charset=utf-8")

    /// The selection of `?select=`.
    var selection: SelectionText { hasQuery ? query.first("select").map(SelectionText.text) ?? .root : .root }

    /// The value of `?name=true` or `false`; false without one.
    func flag(_ name: String) throws(Problem) -> Bool {
        guard hasQuery else { return false }
        switch query.first(name) {
        case nil, "false": return false
        case "true": return true
        default: throw Problem(.query(.flag(name)))
        }
    }

    /// The number of a query parameter; nil without one. A number too long for 64 bits is greater than all revisions.
    func number(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = query.first(name) else { return nil }
        // Int accepts signs too.
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            let number = Int(text) ?? .max
            if range.contains(number) { return number }
        }
        throw Problem(.query(.number(name, range)))
    }

    /// The page size of `?limit=`.
    func pageSize() throws(Problem) -> Int { try number("limit", in: PageSize.range) ?? PageSize.usual }

    /// The entity tags of `If-Match` or `If-None-Match`; nil without any.
    func condition(_ field: StaticString, _ name: String) throws(Problem) -> EntityTagCondition? {
        do throws(FieldError) {
            return try EntityTagCondition(fields.values(field))
        } catch {
            throw Problem(.header(.entityTags(name)))
        }
    }
}

extension Request {
    /// The body as JSON; its content type must be JSON too.
    func json() throws(Problem) -> JSONValue {
        try requireJSON()
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: body)
        } catch {
            throw Problem(.notJSON(error))
        }
    }

    /// The body as JSON, if it is short enough for an event loop whatever `http.maxBodyBytes` is.
    func shortJSON() throws(Problem) -> JSONValue {
        guard let json = try jsonOnLoop() else { throw Problem(.body(.tooLong(limit: Self.maxParsedOnLoop))) }
        return json
    }

    /// The body as JSON; nil if it is too long for an event loop, because parsing takes time in proportion to it. Its content type must
    /// be JSON anyway.
    func jsonOnLoop(upTo limit: Int = Self.maxParsedOnLoop) throws(Problem) -> JSONValue? {
        if body.count <= limit { return try json() }
        try requireJSON()
        return nil
    }

    /// In bytes.
    static var maxParsedOnLoop: Int { 65_536 }

    /// Accepts the types that `curl -d` sends by default, and none at all, only without an Origin field: the browser sends
    /// such requests of any page without asking the server first.
    func requireJSON() throws(Problem) {
        // The usual type needs no parsing.
        let isUsual = head.fields.hasOne("content-type", is: "application/json")
        if !isUsual, head.fields.hasSeveral("content-type") {
            throw Problem(.header(.severalContentTypes))
        }
        if head.fields.contains("content-encoding"),
            head.fields.values("content-encoding").contains(where: { !["identity", ""].contains($0.lowercased()) })
        {
            throw Problem(.header(.contentEncoding))
        }
        if isUsual { return }
        let isForm: Bool
        if let text = head.fields.first("content-type") {
            let media = MediaType(text)
            let known = ["application/json", "application/x-www-form-urlencoded"]
            guard let media, known.contains(media.essence), media["charset"]?.lowercased() ?? "utf-8" == "utf-8" else {
                throw Problem(.header(.contentType))
            }
            isForm = media.essence != known[0]
        } else {
            isForm = true
        }
        if isForm, head.fields.contains("origin") { throw Problem(.header(.contentType)) }
    }
}

extension HTTPFields {
    /// The trace that the request belongs to. Nothing of it is passed on if `traceparent` is malformed or there are several.
    var trace: TraceContext? {
        guard contains("traceparent") else { return nil }
        let values = values("traceparent")
        guard let parent = values.first, values.count == 1 else { return nil }
        let state = self.values("tracestate")
        return TraceContext(parent, tracestate: state.isEmpty ? nil : state.joined(separator: ","))
    }
}
