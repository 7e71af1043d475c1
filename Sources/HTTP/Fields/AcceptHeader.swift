/// The media ranges of the Accept field with their weights (RFC 9110, section 12.5.1).
///
/// Malformed ranges are ignored. Without any valid range, every type is acceptable.
package struct AcceptHeader: Sendable {
    private struct MediaRange {
        let media: MediaType
        /// The weight in thousandths.
        let quality: Int

        /// The precedence of the range for a type; nil if it does not match.
        func specificity(for offer: MediaType) -> Int? {
            if media.type == "*" { return 0 }
            guard media.type == offer.type else { return nil }
            if media.subtype == "*" { return 1 }
            guard media.subtype == offer.subtype else { return nil }
            let areMet = media.parameters.allSatisfy { wanted in
                offer[wanted.name]?.lowercased() == wanted.value.lowercased()
            }
            return areMet ? 2 + media.parameters.count : nil
        }
    }

    private let ranges: [MediaRange]
    /// Whether the field has more than its valid ranges.
    private let isMalformed: Bool

    /// - Parameter lines: the values of all Accept lines.
    package init(_ lines: [String]) {
        var ranges: [MediaRange] = []
        var isMalformed = false
        for line in lines {
            var cursor = FieldCursor(line)
            while cursor.nextElement() {
                if let range = Self.range(&cursor) {
                    ranges.append(range)
                } else {
                    isMalformed = true
                    cursor.skipElement()
                }
            }
        }
        self.ranges = ranges
        self.isMalformed = isMalformed
    }

    /// The weight of a type in thousandths; 0 means not acceptable. The most specific range decides.
    package func quality(of offer: MediaType) -> Int {
        if ranges.isEmpty { return 1000 }
        var best: (specificity: Int, quality: Int)?
        for range in ranges {
            guard let specificity = range.specificity(for: offer) else { continue }
            if specificity > best?.specificity ?? -1 { best = (specificity, range.quality) }
        }
        return best?.quality ?? 0
    }

    /// Whether the field has one range, and this names the type itself: no other is acceptable.
    package func isOnly(_ offer: MediaType) -> Bool {
        guard ranges.count == 1, !isMalformed, ranges[0].media.essence == offer.essence else { return false }
        return quality(of: offer) > 0
    }

    /// The offer with the highest weight, the first one of several; nil if none is acceptable.
    package func preferred(of offers: [MediaType]) -> MediaType? {
        var best: (offer: MediaType, quality: Int)?
        for offer in offers {
            let quality = quality(of: offer)
            if quality > best?.quality ?? 0 { best = (offer, quality) }
        }
        return best?.offer
    }

    private static func range(_ cursor: inout FieldCursor) -> MediaRange? {
        guard let (type, subtype) = MediaType.names(&cursor), type != "*" || subtype == "*",
            let parameters = cursor.parameters(), cursor.elementEnds()
        else { return nil }
        // Parameters behind q are not part of the media type: earlier RFCs used them as extensions of Accept.
        let weight = parameters.firstIndex { $0.name == "q" }
        let media = MediaType(
            type: type, subtype: subtype, parameters: Array(parameters[..<(weight ?? parameters.count)]))
        guard let weight else { return MediaRange(media: media, quality: 1000) }
        return quality(parameters[weight].value).map { MediaRange(media: media, quality: $0) }
    }

    /// Parses `0` or `1` with at most three decimals (RFC 9110, section 12.4.2), in thousandths.
    private static func quality(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, first == ASCII.zero || first == ASCII.zero + 1, bytes.count <= 5 else {
            return nil
        }
        guard bytes.count == 1 || bytes[1] == ASCII.dot else { return nil }
        var decimals = Array(bytes.dropFirst(2))
        while decimals.count < 3 { decimals.append(ASCII.zero) }
        guard let thousandths = DecimalNumber.parse(decimals) else { return nil }
        let quality = Int(first - ASCII.zero) * 1000 + thousandths
        return quality <= 1000 ? quality : nil
    }
}

/// A media type (RFC 9110, section 8.3.1) with its type and subtype in lower case.
package struct MediaType: Sendable, Hashable {
    package let type: String
    package let subtype: String
    package let parameters: [Parameter]

    /// Parses the value of a Content-Type field; nil if it is malformed or has a duplicate parameter.
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

    /// The media type without parameters.
    package var essence: String { "\(type)/\(subtype)" }

    /// The value of a parameter; nil if it is missing.
    ///
    /// - Parameter name: must be in lower case.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    static func names(_ cursor: inout FieldCursor) -> (type: String, subtype: String)? {
        guard let type = cursor.token(), cursor.take(ASCII.slash), let subtype = cursor.token() else { return nil }
        return (type.lowercased(), subtype.lowercased())
    }
}
