import Cluster
import Testing

@Suite("Two processes with one address")
struct AddressConflictTests {
    @Test("are noticed by the one that has registered last")
    func another() {
        var conflict = AddressConflict()
        conflict.registered(beside: [7: 5000])
        expect(conflict.renewed(beside: [7: 5500]), false)
        expect(conflict.renewed(beside: [7: 5500]), false)
        expect(conflict.renewed(beside: [7: 6000]), false)
        expect(conflict.renewed(beside: [7: 6500]), true)
    }

    @Test("are not noticed by the one that was there first")
    func first() {
        var conflict = AddressConflict()
        conflict.registered(beside: [:])
        for end in 5000..<5100 { expect(conflict.renewed(beside: [7: end]), false) }
    }

    @Test("are not assumed after a quick restart")
    func restart() {
        var conflict = AddressConflict()
        conflict.registered(beside: [7: 5000, 8: 4000])
        // A renewal that the earlier process has sent before its end may arrive now.
        expect(conflict.renewed(beside: [7: 5500, 8: 4000]), false)
        for _ in 0..<100 { expect(conflict.renewed(beside: [7: 5500]), false) }
        expect(conflict.renewed(beside: [:]), false)
        // Nor does it count if it was there in between.
        for end in 6000..<6100 { expect(conflict.renewed(beside: [7: end]), false) }
    }

    @Test("are noticed once, after a pause of the first by that one")
    func pause() {
        var (first, second) = (AddressConflict(), AddressConflict())
        first.registered(beside: [:])
        second.registered(beside: [1: 5000])
        for _ in 0..<10 { expect(second.renewed(beside: [1: 5000]), false) }
        expect(second.renewed(beside: [:]), false)
        // It has lost its lease, and begins another incarnation.
        first.registered(beside: [2: 9000])
        var noticed = false
        for end in 9001..<9004 {
            expect(second.renewed(beside: [3: end]), false)
            noticed = first.renewed(beside: [2: end])
        }
        expect(noticed, true)
    }
}
