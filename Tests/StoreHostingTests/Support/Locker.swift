import StoreHosting
import Stores

/// A locker as two releases of a program know it: the second calls its `name` a `title`, and weighs it.
enum Locker {
    struct First: HostedState, ObjectState, Restorable {
        var name = ""
        var seen = 0

        init() {}

        init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
            name = try persisted.member("name")
            seen = try persisted.privateMember("seen", in: 0...1000)
        }

        func visitMembers(_ members: inout some MemberVisitor & ~Copyable) { members.member("name", name) }
        func encodePrivate(into members: inout JSONValue.PrivateEncoder) { members.member("seen", seen) }
    }

    struct Second: HostedState, ObjectState, Restorable {
        var title = ""
        var weight: Double?
        var looks = 0

        init() {}

        init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
            title = try persisted.member("title")
            weight = try persisted.member("weight")
            looks = try persisted.privateMember("looks", in: 0...1000)
        }

        func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
            members.member("title", title)
            members.member("weight", weight)
        }

        func encodePrivate(into members: inout JSONValue.PrivateEncoder) { members.member("looks", looks) }
    }

    enum Action: DeclaredAction, Equatable {
        case name(String)
        case look

        static let catalogue = ActionSchema<Action>([
            ActionDeclaration(
                "locker/name", "Names it.", fields: .text("name", 0...80, example: "Ada"), embed: { .name($0) },
                extract: { if case .name(let name) = $0 { name } else { nil } }),
            ActionDeclaration("locker/look", "Looks at it.", .look),
        ])
    }

    struct FirstReducer: HostedReducer {
        func decide(_ action: Action, in state: First) -> Decision { .accept }

        func reduce(_ state: inout First, _ action: Action) {
            switch action {
            case .name(let name): state.name = name
            case .look: state.seen += 1
            }
        }
    }

    struct SecondReducer: HostedReducer {
        func decide(_ action: Action, in state: Second) -> Decision { .accept }

        func reduce(_ state: inout Second, _ action: Action) {
            switch action {
            case .name(let name): state.title = name
            case .look: state.looks += 1
            }
        }
    }

    static let first = StoreKind.store("locker", FirstReducer.self)
    static let second = StoreKind.store("locker", SecondReducer.self, migrations: [renaming])
    static let third = StoreKind.store("locker", SecondReducer.self, migrations: [renaming, weighing])

    static let renaming: StoreKind.Migration = { state, privateState in
        state = ["title": state["name"] ?? "", "weight": nil]
        privateState = ["looks": privateState["seen"] ?? 0]
    }

    static let weighing: StoreKind.Migration = { state, _ throws(RestorationError) in
        guard let title = state["title"] else { throw .unreadable(.state, at: "/title", "is missing") }
        state = ["title": title, "weight": 0.5]
    }
}
