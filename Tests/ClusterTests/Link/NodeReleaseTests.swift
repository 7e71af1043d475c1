import Cluster
import Testing

@Suite struct NodeReleaseTests {
    @Test func nodesWithOneMarkOfTheirSettingsDoNotDiffer() {
        let own = NodeRelease("1.2.0", settings: "0a1b2c3d")
        #expect(own.text == "1.2.0+settings.0a1b2c3d")
        #expect(!own.differs(from: NodeRelease(text: own.text)))
        #expect(!own.differs(from: NodeRelease(text: "1.3.0+settings.0a1b2c3d")))
    }

    @Test func nodesWithDifferentMarksDiffer() {
        let own = NodeRelease("1.2.0", settings: "0a1b2c3d")
        let other = NodeRelease(text: "1.2.0+settings.ffffffff")
        #expect(own.differs(from: other) && other.differs(from: own))
    }

    @Test(arguments: ["1.1.0", "1.1.0+build.7"])
    func aNodeWithoutAMarkDiffersFromNone(_ older: String) {
        let (own, other) = (NodeRelease("1.2.0", settings: "0a1b2c3d"), NodeRelease(text: older))
        #expect(!own.differs(from: other) && !other.differs(from: own))
        #expect(NodeRelease(older, settings: nil).text == older)
    }
}
