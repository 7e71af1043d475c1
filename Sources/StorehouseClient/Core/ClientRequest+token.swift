extension ClientRequest {
    /// A request with the token of a user; nil for none.
    init(_ method: String, _ url: String, headers: [String: String], body: [UInt8]? = nil, token: String?) {
        self.init(method, url, headers: headers, body: body)
        if let token { self.headers["authorization"] = "Bearer " + token }
    }

    /// A request with JSON, and with the token of a user; nil for none.
    init(_ method: String, _ url: String, json: [UInt8], token: String?) {
        self.init(method, url, headers: ["content-type": "application/json"], body: json, token: token)
    }
}
