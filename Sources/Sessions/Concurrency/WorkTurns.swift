/// Decides who begins work next of which little is done at once, because it holds memory or keeps others waiting.
///
/// The owners take turns, and whoever comes first of an owner begins first. So an owner waits for few others, however many wait
/// for those.
package struct WorkTurns<Owner: Hashable & Sendable>: Sendable {
    package struct Limits: Sendable {
        /// How many may work at once.
        package var working = 8
        /// How many may wait of one owner.
        package var waitingPerOwner = 128

        package init() {}
    }

    package enum Admission: Equatable, Sendable {
        case begins
        case waits(Place)
        /// Too many wait.
        case overloaded
    }

    /// The place of one that waits.
    package struct Place: Hashable, Sendable {
        fileprivate let owner: Owner
        fileprivate let number: Int
    }

    private let limits: Limits
    private var workingCount = 0
    /// Somebody waits of each of these owners, in order. Nobody waits unless as many work as may.
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

    /// Somebody has done their work.
    ///
    /// - Returns: the place of whoever begins now; nil if nobody waits.
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

    /// Somebody waits no longer. A place that is not there any more changes nothing.
    package mutating func leave(_ place: Place) {
        guard let index = waiting[place.owner]?.firstIndex(of: place) else { return }
        waiting[place.owner]?.remove(at: index)
        guard waiting[place.owner]?.isEmpty == true else { return }
        waiting[place.owner] = nil
        turns.removeAll { $0 == place.owner }
    }
}
