import JSON

/// The files of a new package, from those in `Templates/Init`. Only they change when the way to write a store does.
struct InitTemplates {
    /// The checkout that this program was built from. It may be gone, or on another machine.
    static let ownCheckout = #filePath.prefix(before: "/Sources/CommandLine/")

    /// Modules that a package must not have the name of, in lower case.
    static let reservedModules: Set<String> = [
        "cluster", "commandline", "foundation", "http", "httpserver", "journal", "json", "locks", "observability",
        "platform", "redisjournal", "remoteservices", "security", "serverwiring", "sockets", "storehosting",
        "storehouse",
        "storehouseserver", "storehousetesting", "stores", "storestesting", "swift", "testing", "upstream",
    ]

    let name: String
    /// The path of the checkout that the package depends on, because no version is published yet.
    let checkout: String

    /// The name of the module: that of the package, as an identifier.
    static func module(_ name: String) -> String { name.replacing("-", with: "_") }

    private var module: String { Self.module(name) }

    /// The type of the program: `MyHallApp` for `my-hall`.
    private var type: String {
        var names = IdentifierNames()
        return names.name(name, isType: true) + "App"
    }

    /// Each file with its path below the package.
    var files: [(path: String, text: String)] {
        [
            ("Package.swift", text(PackageResources.Manifest_swift, quoting: SwiftNames.quoted)),
            ("Sources/\(name)/Seats.swift", text(PackageResources.Seats_swift)),
            ("Sources/\(name)/\(type).swift", text(PackageResources.App_swift)),
            ("Tests/\(name)Tests/SeatsTests.swift", text(PackageResources.SeatsTests_swift)),
            ("config/storehouse.json", text(PackageResources.storehouse_json)),
            ("Dockerfile", text(PackageResources.Dockerfile)),
            (".dockerignore", ".build\n.git"),
            (".gitignore", ".build/\n*.db*"),
            ("README.md", text(PackageResources.README_md)),
        ]
    }

    /// The text of a template, which is a file of a package with the name my-hall.
    ///
    /// - Parameter quoting: how the language of the file writes a text in quotes.
    private func text(_ file: [UInt8], quoting: (String) -> String = { JSONValue.string($0).description }) -> String {
        Template.text(
            file,
            [
                "MyHallApp": type, "my_hall": module, "my-hall": name, "\"/path/of/storehouse\"": quoting(checkout),
                "/path/of/storehouse": checkout,
            ])
    }
}

extension String {
    /// The part before the last occurrence of a text.
    fileprivate func prefix(before text: String) -> String {
        ranges(of: text).last.map { String(self[..<$0.lowerBound]) } ?? self
    }
}
