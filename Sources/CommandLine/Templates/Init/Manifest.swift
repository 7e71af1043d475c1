// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "my-hall",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "storehouse", path: "/path/of/storehouse")
    ],
    targets: [
        .executableTarget(
            name: "my-hall", dependencies: [.product(name: "Storehouse", package: "storehouse")]),
        .testTarget(
            name: "my-hallTests",
            dependencies: [
                "my-hall",
                .product(name: "StoresTesting", package: "storehouse"),
                .product(name: "StorehouseTesting", package: "storehouse"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
