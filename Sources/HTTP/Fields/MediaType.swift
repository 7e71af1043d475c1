/// A media type (RFC 9110, section 8.3.1): type and subtype in lower case, and parameters.
package struct MediaType: Sendable, Hashable {
    package let type: String
    package let subtype: String
    package let parameters: [Parameter]

    /// Reads the value of a Content-Type field; nil where it is no media type, or names a parameter twice.
    package init?(_ text: String) {
        var cursor = FieldCursor(text)
        cursor.skipBlanks()
        guard let (type, subtype) = Self.names(&cursor), let parameters = cursor.parameters(), cursor.next == nil,
            Set(parameters.map(\.name)).count == parameters.count
        else { return nil }
        self.init(type: type, subtype: subtype, parameters: parameters)
    }

    init(type: String, subtype: String, parameters: [Parameter]) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
    }

    /// Type and subtype without the parameters.
    package var essence: String { "\(type)/\(subtype)" }

    /// The value of a parameter, nil where it is not there.
    ///
    /// - Parameter name: in lower case.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    static func names(_ cursor: inout FieldCursor) -> (type: String, subtype: String)? {
        guard let type = cursor.token(), cursor.take(ASCII.slash), let subtype = cursor.token() else { return nil }
        return (type.lowercased(), subtype.lowercased())
    }
}
