import Foundation
import FuzzProperties
import StoresTesting
import Testing

/// The seeds of the fuzzers, which include fixed findings, in folders named after the targets.
@Suite struct SeedTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fuzz/seeds").standardized

    @Test(arguments: FuzzTarget.allCases)
    func seedsHaveNoFindings(_ target: FuzzTarget) throws {
        let seeds = try Self.seeds(of: target)
        #expect(seeds.count >= 5)
        for seed in seeds {
            let finding = target.finding(in: [UInt8](try Data(contentsOf: seed)))
            #expect(finding == nil, "\(seed.lastPathComponent)")
        }
    }

    /// A few thousand mutations of the seeds, the same ones in every run.
    @Test(arguments: FuzzTarget.allCases)
    func mutatedSeedsHaveNoFindings(_ target: FuzzTarget) throws {
        let seeds = try Self.seeds(of: target).map { [UInt8](try Data(contentsOf: $0)) }
        var random = SeededGenerator(seed: 4)
        for _ in 0..<300 {
            let input = random.mutated(seeds)
            let finding = target.finding(in: input)
            #expect(finding == nil, "\(input)")
        }
    }

    private static func seeds(of target: FuzzTarget) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: target.rawValue), includingPropertiesForKeys: nil
        ).sorted { $0.path < $1.path }
    }
}
