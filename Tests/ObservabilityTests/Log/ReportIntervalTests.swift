import Observability
import Testing

@Suite("The interval of reports")
struct ReportIntervalTests {
    @Test("lets the first report pass, and others a minute after the last one")
    func minute() {
        var interval = ReportInterval()
        let moments = [5, 6, 60_004, 60_005, 60_006, 120_005]
        #expect(moments.map { interval.isDue(now: $0) } == [true, false, false, true, false, true])
    }
}
