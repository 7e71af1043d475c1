import HTTP
import JSON

extension Request {
    /// The body, which must be JSON and say so.
    func json() throws(Problem) -> JSONValue {
        try requireJSON()
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: body)
        } catch {
            throw Problem(.malformedJSON, "\(error)").with("offset", .integer(error.offset))
        }
    }

    private func requireJSON() throws(Problem) {
        // The usual types without the work of parsing them; curl -d sends the second.
        if head.fields.first("content-type", is: "application/json")
            || head.fields.first("content-type", is: "application/x-www-form-urlencoded")
        {
            return
        }
        guard let text = head.fields.first("content-type") else { return }
        let media = MediaType(text)
        let known = ["application/json", "application/x-www-form-urlencoded"]
        guard let media, known.contains(media.essence), media["charset"]?.lowercased() ?? "utf-8" == "utf-8" else {
            throw Problem(.unsupportedMediaType, "Send JSON in UTF-8, with Content-Type: application/json.")
        }
    }
}
