// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "seats",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Outside of this repository: .package(url: "…", from: "…")
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
