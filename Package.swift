// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "storehouse",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "storehouse", targets: ["storehouse"]),
        .library(name: "Stores", targets: ["Stores"]),
        .library(name: "StoresTesting", targets: ["StoresTesting"]),
        .library(name: "StorehouseServer", targets: ["StorehouseServer"]),
        .library(name: "Journal", targets: ["Journal"]),
        .library(name: "Sealing", targets: ["Sealing"]),
    ],
    targets: [
        .target(name: "CLinux"),
        .target(name: "CCurl"),
        .target(name: "CCrypto"),
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),

        .target(name: "Locks"),
        .target(name: "JSON"),
        .target(name: "HTTP"),
        .target(name: "Stores", dependencies: ["Locks", "JSON"]),
        .target(name: "StoresTesting", dependencies: ["Locks", "Stores"]),
        .target(name: "StoreKinds", dependencies: ["Stores", "JSON"]),

        .target(name: "Sockets", dependencies: ["CLinux", "Locks"]),
        .target(name: "Upstream", dependencies: ["CCurl", "HTTP", "Locks", "Sockets", "Stores"]),
        .target(name: "Journal", dependencies: ["CSQLite", "JSON", "Locks", "Stores"]),
        .target(name: "Sealing", dependencies: ["CCrypto", "Stores"]),
        .target(name: "StorehouseServer", dependencies: ["Locks", "Sockets", "HTTP", "JSON", "Stores"]),
        .executableTarget(
            name: "storehouse",
            dependencies: ["StorehouseServer", "StoreKinds", "Journal", "Sealing", "Upstream"]),
        .executableTarget(name: "seats", dependencies: ["StorehouseServer", "Stores"], path: "Examples/Seats"),
        .target(name: "ExampleStores", dependencies: ["Stores"], path: "Examples/Stores"),

        .target(name: "FuzzProperties", dependencies: ["JSON", "HTTP"], path: "Fuzz/properties"),

        .target(name: "CAllocations", path: "Benchmarks/allocations"),
        .executableTarget(
            name: "storesbench", dependencies: ["CAllocations", "StoreKinds", "Stores"], path: "Benchmarks/stores"),

        .testTarget(name: "JSONTests", dependencies: ["JSON"]),
        .target(name: "HTTPRules", path: "Tests/HTTPRules"),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP", "HTTPRules", "StoresTesting", "FuzzProperties"]),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzProperties", "StoresTesting"]),
        .testTarget(name: "SocketsTests", dependencies: ["Sockets", "CLinux", "Locks"]),
        .testTarget(name: "StoresTests", dependencies: ["Stores", "StoresTesting", "JSON", "Locks"]),
        .testTarget(name: "StoreKindsTests", dependencies: ["StoreKinds", "Stores", "StoresTesting", "JSON", "Locks"]),
        .testTarget(
            name: "ExampleStoresTests", dependencies: ["ExampleStores", "Stores", "StoresTesting", "Locks"]),
        .target(name: "CFaultyDisk", path: "Tests/CFaultyDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        .testTarget(
            name: "JournalTests", dependencies: ["CFaultyDisk", "CSQLite", "Journal", "Locks", "Stores", "JSON"]),
        .testTarget(name: "SealingTests", dependencies: ["Sealing", "Stores"]),
        .target(name: "FaultyServices", dependencies: ["CLinux", "Locks"], path: "Tests/FaultyServices"),
        .testTarget(
            name: "UpstreamTests",
            dependencies: ["Upstream", "FaultyServices", "StoreKinds", "Stores", "JSON", "Sockets", "Locks"]),
        .testTarget(
            name: "StorehouseServerTests",
            dependencies: [
                "StorehouseServer", "StoreKinds", "Journal", "Stores", "StoresTesting", "Upstream", "JSON", "HTTP",
                "CFaultyDisk", "FaultyServices", "HTTPRules", "Sockets", "Locks", "FuzzProperties",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

let cTargets: Set = ["CAllocations", "CLinux", "CCurl", "CCrypto", "CSQLite", "CFaultyDisk"]
for target in package.targets {
    if cTargets.contains(target.name) {
        target.cSettings = [.treatAllWarnings(as: .error)]
    } else {
        target.swiftSettings = [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .treatAllWarnings(as: .error),
        ]
    }
}
