// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "chat",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Outside of this repository: .package(url: "…", from: "…")
        .package(name: "storehouse", path: "../..")
    ],
    targets: [
        .executableTarget(name: "chat", dependencies: [.product(name: "Storehouse", package: "storehouse")]),
        .testTarget(
            name: "chatTests",
            dependencies: [
                "chat",
                .product(name: "StoresTesting", package: "storehouse"),
                .product(name: "StorehouseTesting", package: "storehouse"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
