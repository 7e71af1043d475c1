import JSON
import RemoteServices
import StoreHosting
import Stores

/// States and stores whose calls a bank answers.
enum Bank {
    struct Till: Sendable, Equatable {
        var isPaying = false
        var receipt: String?
        var reason: String?
        var endedAt: Int?
        var calls = PendingCalls()

        static let pay = Action<Till, Int>(
            "pay", "Pays.", .integer("cents", 1...9999), rules: .reject("paying") { till, _ in till.isPaying }
        ) { till, _ in till.isPaying = true }
        static let close = Action<Till, Void>("close", "Ends the day.") { $0 = Till() }
        static let rename = Action<Till, Void>("note", "Changes nothing that matters.") { $0.reason = nil }

        static let payment = Fetch(
            "payment", on: pay, from: "bank", at: "/receipt", as: String.self,
            retry: .upTo(3, every: .seconds(2), doublingTo: .seconds(3), in: \.calls)
        ) { till, cents in
            .post(["cents": .integer(cents), "isPaying": .bool(till.isPaying)])
        } then: { till, _, receipt, time in
            till.isPaying = false
            till.receipt = receipt
            till.endedAt = time
        } failed: { till, _, failure, time in
            till.isPaying = false
            till.reason = failure.answer?.json?["reason"]?.asString ?? failure.code.rawValue
            till.endedAt = time
        }
    }

    struct Tills: Sendable {
        var paid = 0
        var calls = PendingCalls()

        static let pay = Action<Tills, String>("pay", "Pays.", .text("till", 1...9, example: "a")) { _, _ in }
        static let payment = Fetch(
            "payment", on: pay, from: "bank", as: RemoteResponse.Status.self, id: \.self,
            retry: .upTo(3, every: .seconds(2), in: \.calls)
        ) { _, till in
            .post(["till": .string(till)])
        } then: { tills, _, _, _ in
            tills.paid += 1
        }
    }

    static let once = StoreDefinition("till", "A till.", Till()) {
        Member("isPaying", \.isPaying)
        Member("receipt", \.receipt)
        Member("reason", \.reason)
        Member("calls", \.calls)
        Till.onlyPayment
        Till.pay
    }

    static let till = StoreDefinition("till", "A till.", Till()) {
        Member("isPaying", \.isPaying)
        Member("receipt", \.receipt)
        Member("reason", \.reason)
        Member("endedAt", \.endedAt)
        Member("calls", \.calls)
        Till.payment
        Till.pay
        Till.close
        Till.rename
    }

    /// A store whose slice makes the calls.
    static let shop = StoreDefinition("shop", "A shop.", Till()) {
        Part("till", \.self) {
            Member("isPaying", \.isPaying)
            Member("calls", \.calls)
            Till.pay
            Till.payment
        }
    }
}

extension Bank.Till {
    /// The bank does not know keys.
    static let onlyPayment = Fetch(
        "payment", on: pay, from: "bank", at: "/receipt", as: String.self,
        retry: .upTo(3, every: .seconds(2), in: \.calls)
    ) { _, cents in
        .post(["cents": .integer(cents)], isIdempotent: false)
    } then: { till, _, receipt, _ in
        till.isPaying = false
        till.receipt = receipt
    } failed: { till, _, failure, _ in
        till.isPaying = false
        till.reason = failure.code.rawValue
    }
}
