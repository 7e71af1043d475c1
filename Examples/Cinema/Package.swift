// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "cinema",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own, the path of your checkout of Storehouse.
        .package(name: "storehouse", path: "../..")
    ],
    targets: [
        .executableTarget(name: "cinema", dependencies: [.product(name: "Storehouse", package: "storehouse")]),
        .testTarget(
            name: "cinemaTests",
            dependencies: [
                "cinema",
                .product(name: "StoresTesting", package: "storehouse"),
                .product(name: "StorehouseTesting", package: "storehouse"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
