/// The results of a case by name.
struct Numbers: ExpressibleByDictionaryLiteral {
    private var values: [(name: String, value: Double)]

    init(dictionaryLiteral elements: (String, Double)...) {
        values = elements.map { (name: $0.0, value: $0.1) }
    }

    subscript(name: String) -> Double {
        get { values.first { $0.name == name }?.value ?? .nan }
        set { values.append((name, newValue)) }
    }

    var json: String { "{" + values.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}" }
}
