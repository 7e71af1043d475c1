/// The files of a new package, from those in `Templates/Init`. Only they change when the way to write a store does.
struct InitTemplates {
    /// Modules that a package must not have the name of, in lower case.
    static let reservedModules: Set<String> = [
        "cluster", "commandline", "foundation", "http", "httpserver", "journal", "json", "locks", "observability",
        "platform", "redisjournal", "remoteservices", "security", "serverwiring", "sockets", "storehosting",
        "storehouse",
        "storehouseserver", "storehousetesting", "stores", "storestesting", "swift", "testing", "upstream",
    ]

    let name: String
    let source: StorehouseSource

    /// The name of the module: that of the package, as an identifier.
    static func module(_ name: String) -> String { name.replacing("-", with: "_") }

    /// The name as one of a type, such as `MyHall` for `my-hall`, or of a constant, such as `myHall`.
    private func identifier(isType: Bool) -> String {
        var names = IdentifierNames()
        return names.name(name, isType: isType)
    }

    /// Each file with its path below the package.
    var files: [(path: String, text: String)] {
        let type = identifier(isType: true)
        return [
            ("Package.swift", text(PackageResources.Manifest_swift)),
            ("Sources/\(name)/\(type).swift", text(PackageResources.Store_swift)),
            ("Sources/\(name)/\(type)App.swift", text(PackageResources.App_swift)),
            ("Tests/\(name)Tests/\(type)Tests.swift", text(PackageResources.StoreTests_swift)),
            ("config/storehouse.json", text(PackageResources.storehouse_json)),
            ("Dockerfile", text(PackageResources.Dockerfile)),
            (".dockerignore", ".build\n.git"),
            (".gitignore", ".build/\n*.db*"),
            ("README.md", text(PackageResources.README_md)),
        ]
    }

    /// The text of a template, which is a file of a package with the name my-hall.
    private func text(_ file: [UInt8]) -> String {
        let names = [
            ("MyHall", identifier(isType: true)), ("myHall", SwiftNames.escaped(identifier(isType: false))),
            ("my_hall", Self.module(name)), ("my-hall", name),
        ]
        return Template.text(file, source.replacements + names)
    }
}
