import JSON
import StorehouseServer
import Testing

/// The files of the project, the code and the documentation say the same.
@Suite struct ConfigurationFilesTests {
    @Test func theDocumentedFileHoldsEveryKeyAtItsDefault() throws {
        let file = try ProjectFile.contents(of: Configuration.defaultFile)
        #expect(String(decoding: file, as: UTF8.self) == Configuration().document)
        #expect(try Configuration(file: file) == Configuration())
    }
}
