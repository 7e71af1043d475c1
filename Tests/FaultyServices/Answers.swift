/// Text of HTTP answers.
package enum Answer {
    package static func ok(_ body: String = #"{"animal":"Cat"}"#) -> String {
        status(200, "Content-Type: application/json", body: body)
    }

    package static func status(_ status: Int, _ fields: String..., body: String = "") -> String {
        "HTTP/1.1 \(status) Whatever\r\n" + fields.map { "\($0)\r\n" }.joined()
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
