import HTTP

extension Service {
    /// Answers at `/`: the inspector page to who likes HTML best, as browsers do, and to everybody else the links.
    ///
    /// Where the page is switched off, the links are for all who would have got it.
    func readIndex(_ call: Call) throws(Problem) {
        let accept = AcceptHeader(call.head.fields.values("accept"))
        // Of what is taken as gladly, the first: `*/*` gets the links.
        guard let accepted = accept.preferred(of: Self.indexForms) else {
            throw Problem(.notAcceptable, "This resource is application/json and text/html; let Accept include one.")
        }
        guard settings.hasInspector else { return call.answer(.document(documents.index)) }
        var response = accepted.type == "text" ? InspectorPage.response() : .document(documents.index)
        response.fields.append(.init("Vary", "Accept"))
        call.answer(response)
    }

    private static let indexForms = [MediaType("application/json"), MediaType("text/html; charset=utf-8")]
        .compactMap(\.self)
}
