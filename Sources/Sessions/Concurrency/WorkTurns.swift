/// Decides which work begins next, if little may be done at once because it holds memory or delays other work.
///
/// Owners of work take turns. The work of one owner begins in the order of its arrival. So an owner with little work does not wait for
/// all the work of another one.
package struct WorkTurns<Owner: Hashable & Sendable>: Sendable {
    package struct Limits: Sendable {
        /// How much work is done at once.
        package var working = 8
        /// How much work of one owner may wait.
        package var waitingPerOwner = 128

        package init() {}

        package init(working: Int, waitingPerOwner: Int) {
            (self.working, self.waitingPerOwner) = (working, waitingPerOwner)
        }
    }

    package enum Admission: Equatable, Sendable {
        case begins
        case waits(Place)
        /// Too many wait.
        case overloaded
    }

    /// The place of work that waits.
    package struct Place: Hashable, Sendable {
        fileprivate let owner: Owner
        fileprivate let number: Int
    }

    private let limits: Limits
    private var workingCount = 0
    /// The waiting work of each owner, in order. Work waits only while the limit is reached.
    private var waiting: [Owner: [Place]] = [:]
    /// These owners, in the order of their turns.
    private var turns: [Owner] = []
    private var lastNumber = 0

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    package mutating func admit(_ owner: Owner) -> Admission {
        if workingCount < limits.working {
            workingCount += 1
            return .begins
        }
        let count = waiting[owner]?.count ?? 0
        guard count < limits.waitingPerOwner else { return .overloaded }
        if count == 0 { turns.append(owner) }
        lastNumber += 1
        let place = Place(owner: owner, number: lastNumber)
        waiting[owner, default: []].append(place)
        return .waits(place)
    }

    /// Work is done.
    ///
    /// - Returns: the place of the work that begins now; nil if none waits.
    package mutating func end() -> Place? {
        guard !turns.isEmpty else {
            workingCount -= 1
            return nil
        }
        let owner = turns.removeFirst()
        // An owner with a turn has a place that waits.
        let place = waiting[owner, default: []].removeFirst()
        if waiting[owner]?.isEmpty == false { turns.append(owner) } else { waiting[owner] = nil }
        return place
    }

    /// Work waits no longer. A place that is gone changes nothing.
    package mutating func leave(_ place: Place) {
        guard let index = waiting[place.owner]?.firstIndex(of: place) else { return }
        waiting[place.owner]?.remove(at: index)
        guard waiting[place.owner]?.isEmpty == true else { return }
        waiting[place.owner] = nil
        turns.removeAll { $0 == place.owner }
    }
}
