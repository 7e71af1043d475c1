import Journal
import Testing

@Suite("The secret of a file")
struct StorageSecretTests {
    @Test("is made once, is in copies, and is another in each file")
    func isMadeOnce() async throws {
        let (file, other) = (try JournalFile(), try JournalFile())
        var secrets: [[UInt8]?] = []
        for file in [file, file, other] {
            let journal = try file.open()
            secrets.append(journal.secret)
            await journal.closed()
        }
        #expect(secrets[0]?.count == 32 && secrets[0] == secrets[1] && secrets[0] != secrets[2])
        #expect(Set(secrets[0] ?? []).count > 8)
        let copy = try file.copy().open()
        #expect(copy.secret == secrets[0])
        await copy.closed()
        try file.change("DELETE FROM meta WHERE name = 'secret_2'")
        let journal = try file.open()
        #expect(journal.secret?.count == 32 && journal.secret != secrets[0])
        await journal.closed()
    }
}
