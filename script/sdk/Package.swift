// swift-tools-version:6.0
import PackageDescription

let package = Package(
    name: "program", platforms: [.macOS(.v13)],
    dependencies: [.package(path: "Client")],
    targets: [
        .executableTarget(
            name: "program", dependencies: [.product(name: "StorehouseClient", package: "Client")],
            path: "Sources/program")
    ])
