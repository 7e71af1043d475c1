public import StoreHosting

extension StoreKind {
    /// Collects the store kinds of a ``StorehouseApp``: kinds, values that define one, and arrays of both.
    @resultBuilder
    public enum Builder {
        /// One kind.
        public static func buildExpression(_ kind: some StoreKind.Convertible) -> [StoreKind] { [kind.kind] }

        /// Several kinds.
        public static func buildExpression(_ kinds: [some StoreKind.Convertible]) -> [StoreKind] { kinds.map(\.kind) }

        /// Kinds one after another.
        public static func buildBlock(_ kinds: [StoreKind]...) -> [StoreKind] { kinds.flatMap(\.self) }
    }
}
