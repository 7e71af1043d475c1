public import StoreHosting

extension StoreKind {
    /// Collects the store kinds of a ``StorehouseApp``: kinds, values that define one, and arrays of both, with `if` and `for`.
    @resultBuilder
    public enum Builder {
        /// One kind.
        public static func buildExpression(_ kind: some StoreKind.Convertible) -> [StoreKind] { [kind.kind] }

        /// Several kinds.
        public static func buildExpression(_ kinds: [some StoreKind.Convertible]) -> [StoreKind] { kinds.map(\.kind) }

        /// Kinds one after another.
        public static func buildBlock(_ kinds: [StoreKind]...) -> [StoreKind] { kinds.flatMap(\.self) }

        /// The kinds of an `if` without `else`.
        public static func buildOptional(_ kinds: [StoreKind]?) -> [StoreKind] { kinds ?? [] }

        /// The kinds of the first branch of an `if`.
        public static func buildEither(first kinds: [StoreKind]) -> [StoreKind] { kinds }

        /// The kinds of the other branch of an `if`.
        public static func buildEither(second kinds: [StoreKind]) -> [StoreKind] { kinds }

        /// The kinds of a `for`.
        public static func buildArray(_ kinds: [[StoreKind]]) -> [StoreKind] { kinds.flatMap(\.self) }
    }
}
