/// An effect of one part of a store: its name, and the path to the part.
@usableFromInline
package struct EffectKey: Hashable, Sendable {
    @usableFromInline package let id: EffectID
    @usableFromInline package let path: EffectPath

    @usableFromInline
    package init(_ id: EffectID, _ path: EffectPath = .root) {
        self.id = id
        self.path = path
    }

    @usableFromInline
    package func embedded(in part: PathStep?) -> EffectKey { EffectKey(id, path.embedded(in: part)) }
}
