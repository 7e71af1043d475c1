import JSON
import Platform

/// Where the package of a new server finds Storehouse.
enum StorehouseSource {
    /// A checkout of the project. The path is relative to the new package, unless an absolute one was asked for.
    case checkout(String)
    case repository(url: String, version: String)

    /// The checkout that this program was built from. It may be gone, or on another machine.
    private static let ownCheckout = #filePath.prefix(before: "/Sources/CommandLine/")

    /// - Parameters:
    ///   - place: the path of a checkout, or the URL of a repository; nil for the checkout that this program was built from.
    ///   - package: the absolute path of the new package, which need not exist.
    init(_ place: String?, version: String?, package: String) throws(CommandFailure) {
        if let place, let version {
            self = .repository(url: place, version: version)
        } else if let place {
            let path = try Self.found(place)
            self = .checkout(place.hasPrefix("/") ? path : Self.relative(path, to: package))
        } else if let own = try? Self.found(Self.ownCheckout) {
            self = .checkout(Self.relative(own, to: package))
        } else {
            throw CommandFailure(
                "the sources of this program are not at \(Self.ownCheckout); name a checkout of Storehouse with --from DIR, or a "
                    + "repository with --from URL --version V")
        }
    }

    /// The texts of the templates that are replaced. The templates depend on a checkout.
    var replacements: Template.Replacements {
        switch self {
        case .checkout(let path):
            [
                ("\"/path/of/storehouse\"", SwiftNames.quoted(path)), ("/path/of/storehouse", path),
                ("\"/place/of/storehouse\"", JSONValue.string(path).description),
            ]
        case .repository(let url, let version):
            [
                (
                    ".package(name: \"storehouse\", path: \"/path/of/storehouse\")",
                    ".package(url: \(SwiftNames.quoted(url)), from: \(SwiftNames.quoted(version)))"
                ),
                ("package: \"storehouse\"", "package: \(SwiftNames.quoted(Self.identity(of: url)))"),
                ("the checkout of Storehouse in `/path/of/storehouse`", "Storehouse \(version) from `\(url)`"),
                ("from both folders", "from this folder"),
                (
                    "# Package.swift depends on a checkout of Storehouse, so the checkout is a second context of the build:",
                    "# Build the image in this folder:"
                ),
                (" --build-context storehouse=/path/of/storehouse", ""),
                ("COPY --from=storehouse [\".\", \"/place/of/storehouse\"]\n", ""),
            ]
        }
    }

    /// The name of a package for SwiftPM.
    private static func identity(of url: String) -> String {
        let name = url.split(separator: "/").last.map(String.init) ?? url
        return (name.hasSuffix(".git") ? String(name.dropLast(4)) : name).lowercased()
    }

    /// The absolute path of a checkout of the project.
    private static func found(_ path: String) throws(CommandFailure) -> String {
        guard access(path + "/Package.swift", R_OK) == 0, let real = realPath(path) else {
            throw CommandFailure("\(path) is not a checkout of Storehouse: it has no Package.swift")
        }
        return real
    }

    /// The path that leads from one folder to another. Both are absolute, without links.
    private static func relative(_ path: String, to folder: String) -> String {
        let (target, start) = (path.split(separator: "/"), folder.split(separator: "/"))
        let common = zip(target, start).prefix { $0 == $1 }.count
        let way = start.dropFirst(common).map { _ in ".." } + target.dropFirst(common).map(String.init)
        return way.joined(separator: "/")
    }
}

/// The absolute path of a file that exists, without links.
func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
}

extension String {
    /// The part before the last occurrence of a text.
    fileprivate func prefix(before text: String) -> String {
        ranges(of: text).last.map { String(self[..<$0.lowerBound]) } ?? self
    }
}
