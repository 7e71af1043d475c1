import JSON
import Locks
import Security
import Sessions
import StoreHosting
import Stores
import Testing

@Suite("A read of a large state", .timeLimit(.minutes(5)))
struct LargeStatesTests {
    private struct Count: StoreValue {
        var count = 0
    }

    private static let kind = StoreDefinition("counter", "A count.", Count()) {
        Member("count", \.count)
        Action("increment", "Adds one.") { state in state.count += 1 }
        Selector("reader", "Who reads.") { _, reader in reader.id.text }
    }.kind

    /// It shares its read with others that ask for the value of this guest.
    @Test("by a share has the value of its guest, although the share is revoked while the read waits")
    func revokedMeanwhile() async throws {
        let engine = PlayedEngine(of: Self.kind)
        let session = engine.session(byteCount: 1 << 20)
        let share = FadingShare(of: session, .guest("guest:1"))
        let reading = SessionOperation.Reading(selection: .text("reader"), revision: nil, conditions: .none)
        let handling = try engine.handle(SessionRequest(.read(reading), by: .permit(share)), session)
        // The next look finds the share, and the second one does not. The layer above would refuse it then, and not the others.
        share.isSeenNext([true, false])
        let result = try await handling.value()
        guard case .document(let document) = result.content else { throw FadingShare.Failure.noDocument }
        #expect(String(decoding: document.body, as: UTF8.self).contains(#""state":"guest:1""#))
    }
}

/// A share that some looks do not find.
private final class FadingShare: Permit {
    enum Failure: Error { case noDocument }

    let session: SessionID
    let expiresAt = Int.max
    private let terms: PermitTerms
    /// Of the next looks; later ones find it.
    private let looks = Locked<[Bool]>([])

    init(of session: Session, _ holder: Actor) {
        self.session = session.id
        terms = PermitTerms(id: "a", Permissions([.read]), holder: holder, expiresAt: .max, generation: 0)
    }

    func isSeenNext(_ looks: [Bool]) { self.looks.withLock { $0 = looks } }

    func terms(in session: Session) -> PermitTerms? {
        looks.withLock { $0.isEmpty || $0.removeFirst() } ? terms : nil
    }

    func isAmong(_ permits: FinalPermits) -> Bool { false }

    func narrow(_ operation: SessionOperation, of session: Session) throws(SessionFailure) -> SessionOperation {
        operation
    }
}
