/// Who looks up which name, so that no name is looked up twice at a time.
///
/// libcurl's resolver takes a thread for each look-up; hundreds of calls that begin together would take hundreds. So
/// the first of them looks the name up for all, and the others wait until libcurl's cache has it.
struct NameLookups {
    private struct Lookup {
        let holder: ObjectIdentifier
        var waiting: [CurlTransfer] = []
    }

    private var lookups: [WebAddress.Origin: Lookup] = [:]

    /// A transfer wants to look its name up.
    /// - Returns: false if another is at it.
    mutating func begin(_ transfer: CurlTransfer) -> Bool {
        let origin = transfer.request.address.origin
        if let lookup = lookups[origin] { return lookup.holder == ObjectIdentifier(transfer) }
        lookups[origin] = Lookup(holder: ObjectIdentifier(transfer))
        return true
    }

    /// Lets a transfer wait for the look-up that is under way.
    /// - Returns: false if it is over by now.
    mutating func wait(_ transfer: CurlTransfer) -> Bool {
        let origin = transfer.request.address.origin
        guard lookups[origin] != nil else { return false }
        lookups[origin]?.waiting.append(transfer)
        return true
    }

    /// A transfer looks nothing up any more.
    /// - Returns: who waited for it.
    mutating func end(_ transfer: CurlTransfer) -> [CurlTransfer] {
        let origin = transfer.request.address.origin
        guard lookups[origin]?.holder == ObjectIdentifier(transfer) else { return [] }
        return lookups.removeValue(forKey: origin)?.waiting ?? []
    }
}
