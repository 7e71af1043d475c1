/// Compares encoded objects member by member, without parsing their values.
package enum EncodedMembers {
    /// A member of the new object with another value than in the old one.
    package struct Change: Sendable {
        /// The name, without escapes.
        package let name: String
        /// The ranges of the values in the texts of the objects.
        package let old: Range<Int>
        package let new: Range<Int>
    }

    /// The members whose values differ; nil if the objects do not have the same members in the same order, or if a name is
    /// written with escapes.
    package static func changes(from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer) -> [Change]? {
        guard var scanner = Self.scanner(of: old), var other = Self.scanner(of: new), scanner.enterObject(),
            other.enterObject()
        else { return nil }
        var changes: [Change] = []
        while true {
            let (member, next) = (scanner.nextMember(), other.nextMember())
            guard let member, let next else { return member == nil && next == nil ? changes : nil }
            let name = UnsafeRawBufferPointer(rebasing: new[next.name])
            guard old[member.name].elementsEqual(name), !name.contains(Byte.backslash) else { return nil }
            guard !old[member.value].elementsEqual(new[next.value]) else { continue }
            changes.append(Change(name: String(decoding: name, as: UTF8.self), old: member.value, new: next.value))
        }
    }

    /// The range of a member of a member: of `b` in the text `"a":{"b":1},"c":2`, which has no braces around it.
    ///
    /// - Parameter name: as it is written, without the quotes.
    package static func value(
        of name: some Sequence<UInt8>, in outer: StaticString, of text: UnsafeRawBufferPointer
    ) -> Range<Int>? {
        guard let place = member(text, { outer.withUTF8Buffer($0.elementsEqual) }),
            var scanner = Self.scanner(of: UnsafeRawBufferPointer(rebasing: text[place])), scanner.enterObject()
        else { return nil }
        while let member = scanner.nextMember() {
            let found = place.lowerBound + member.name.lowerBound..<place.lowerBound + member.name.upperBound
            guard text[found].elementsEqual(name) else { continue }
            return place.lowerBound + member.value.lowerBound..<place.lowerBound + member.value.upperBound
        }
        return nil
    }

    private static func member(
        _ text: UnsafeRawBufferPointer, _ isWanted: (Slice<UnsafeRawBufferPointer>) -> Bool
    ) -> Range<Int>? {
        guard var scanner = Self.scanner(of: text) else { return nil }
        while let member = scanner.nextMember() {
            if isWanted(text[member.name]) { return member.value }
        }
        return nil
    }

    private static func scanner(of text: UnsafeRawBufferPointer) -> JSONScanner? {
        text.baseAddress.map { JSONScanner(start: $0, count: text.count) }
    }
}
