// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "seats",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own, the path of your checkout of Storehouse.
        .package(name: "storehouse", path: "../..")
    ],
    targets: [
        .executableTarget(name: "seats", dependencies: [.product(name: "Storehouse", package: "storehouse")]),
        .testTarget(
            name: "seatsTests",
            dependencies: ["seats", .product(name: "StorehouseTesting", package: "storehouse")]),
    ],
    swiftLanguageModes: [.v6]
)
