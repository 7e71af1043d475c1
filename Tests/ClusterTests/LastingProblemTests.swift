import Cluster
import Testing

@Suite("A problem that lasts")
struct LastingProblemTests {
    @Test("is logged at once, again if its reason changes, and else after a while")
    func again() {
        var problem = LastingProblem(changedAfter: 10, sameAfter: 60)
        expect(problem.occurs("refused", now: 100), true)
        expect(problem.occurs("refused", now: 159), false)
        expect(problem.occurs("refused", now: 160), true)
        expect(problem.occurs("no answer", now: 169), false)
        expect(problem.occurs("no answer", now: 170), true)
        expect(problem.occurs("no answer", now: 229), false)
        expect(problem.occurs("refused", now: 229), true)
    }

    @Test("is not logged again for the same reason, unless that is asked for")
    func once() {
        var problem = LastingProblem(changedAfter: 10)
        expect(problem.occurs("refused", now: 100), true)
        expect(problem.occurs("refused", now: 1_000_000), false)
        expect(problem.occurs("no answer", now: 1_000_000), true)
    }

    @Test("is not logged if it ends soon")
    func short() {
        var problem = LastingProblem(firstAfter: 10, changedAfter: 60, sameAfter: 60)
        expect(problem.occurs("refused", now: 100), false)
        expect(problem.occurs("refused", now: 109), false)
        expect(problem.ends(), false)
        expect(problem.occurs("refused", now: 200), false)
        expect(problem.occurs("no answer", now: 210), true)
        expect(problem.occurs("refused", now: 269), false)
        expect(problem.occurs("refused", now: 270), true)
    }

    @Test("is logged at once when it comes back")
    func back() {
        var problem = LastingProblem(changedAfter: 0, sameAfter: 60)
        expect(problem.ends(), false)
        expect(problem.occurs("refused", now: 100), true)
        expect(problem.ends(), true)
        expect(problem.ends(), false)
        expect(problem.occurs("refused", now: 101), true)
    }
}
