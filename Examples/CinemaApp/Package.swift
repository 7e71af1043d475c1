// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "cinema-app",
    platforms: [.iOS(.v17), .macOS(.v14), .visionOS(.v1)],
    dependencies: [
        // In a package of your own, the path of your checkout of Storehouse.
        .package(name: "storehouse", path: "../..")
    ],
    targets: [
        .target(name: "SeatsKind", dependencies: [.product(name: "StoreHosting", package: "storehouse")]),
        .executableTarget(
            name: "seats", dependencies: ["SeatsKind", .product(name: "Storehouse", package: "storehouse")]),
        .executableTarget(
            name: "book", dependencies: ["SeatsKind", .product(name: "StorehouseClient", package: "storehouse")]),
    ],
    swiftLanguageModes: [.v6]
)

let client: [Target.Dependency] = [
    "SeatsKind",
    .product(name: "StorehouseClient", package: "storehouse"),
    .product(name: "RemoteStoreTesting", package: "storehouse"),
]
package.targets += [
    .target(name: "HallScreen", dependencies: client),
    .testTarget(name: "HallScreenTests", dependencies: ["HallScreen"] + client),
]
#if !os(Linux)
    package.targets.append(.executableTarget(name: "CinemaApp", dependencies: ["HallScreen"] + client))
#endif
