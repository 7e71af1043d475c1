extension JSONSchema {
    /// How many there may be of something.
    struct ItemCount: Sendable {
        let minimum: Int?
        let maximum: Int?

        init(_ minimum: Int?, _ maximum: Int?) {
            self.minimum = minimum
            self.maximum = maximum
        }

        func contains(_ count: Int) -> Bool {
            count >= minimum ?? 0 && count <= maximum ?? .max
        }

        /// `1 to 20 elements`, `at least 1 member`, …
        func phrase(_ noun: String) -> String {
            let plural = maximum ?? minimum == 1 ? noun : noun + "s"
            return switch (minimum, maximum) {
            case (let minimum?, let maximum?) where minimum == maximum: "exactly \(maximum) \(plural)"
            case (let minimum?, let maximum?) where minimum > 0: "\(minimum) to \(maximum) \(plural)"
            case (_, let maximum?): "at most \(maximum) \(plural)"
            case (let minimum?, nil): "at least \(minimum) \(plural)"
            case (nil, nil): "any number of \(plural)"
            }
        }
    }
}
