// swift-tools-version: 6.2
import PackageDescription

let onLinux: TargetDependencyCondition? = .when(platforms: [.linux])

let package = Package(
    name: "storehouse",
    // Of the targets that apps use; see script/portability.
    platforms: [.macOS(.v14), .iOS(.v17), .visionOS(.v1)],
    products: [
        .executable(name: "storehouse", targets: ["StorehouseMain"]),
        .library(name: "Stores", targets: ["Stores"]),
        .library(name: "StoreHosting", targets: ["StoreHosting"]),
        .library(name: "StoresTesting", targets: ["StoresTesting"]),
        .library(name: "Storehouse", targets: ["Storehouse"]),
        .library(name: "StorehouseTesting", targets: ["StorehouseTesting"]),
        .library(name: "StorehouseClient", targets: ["StorehouseClient"]),
        .library(name: "RemoteStoreTesting", targets: ["RemoteStoreTesting"]),
    ],
    targets: [
        .target(name: "CPortable"),
        .target(name: "CPlatform", dependencies: ["CPortable"]),
        // Apart, because it changes the signals of every program that is linked with it.
        .target(name: "CFirstProcess"),
        .target(name: "CCurl", dependencies: ["CPortable"]),
        .target(name: "CCrypto", dependencies: ["CPortable"]),
        .target(name: "CHiredis"),
        .target(name: "CNghttp2"),
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),

        .target(name: "Platform", dependencies: ["CPortable"]),
        .target(name: "Locks", dependencies: ["Platform"]),
        .target(name: "Threads", dependencies: ["CPlatform", "Platform"]),
        .target(name: "JSON"),
        .target(name: "Curl", dependencies: ["CCurl", "Platform"]),
        .target(name: "HTTP", dependencies: ["Platform"]),
        .target(name: "Sockets", dependencies: ["CPlatform", "Locks", "Platform", "Threads"]),
        .target(name: "HTTPServer", dependencies: ["HTTP", "Locks", "Platform", "Sockets", "Threads"]),
        .target(name: "HTTP2", dependencies: ["CNghttp2", "HTTP", "HTTPServer", "Platform", "Sockets", "Threads"]),
        .target(
            name: "Observability", dependencies: ["CFirstProcess", "CPlatform", "JSON", "Locks", "Platform", "Threads"]),

        .target(name: "Stores", dependencies: ["CPortable", "Locks", "Platform"]),
        .target(name: "StoreHosting", dependencies: ["CPortable", "JSON", "Locks", "RemoteServices", "Stores"]),
        .target(name: "RemoteServices", dependencies: ["JSON", "Stores"]),
        .target(name: "StoresTesting", dependencies: ["Locks", "RemoteServices", "Stores"]),
        .target(
            name: "StorehouseClient",
            dependencies: [
                .byName(name: "CCurl", condition: onLinux), .byName(name: "Curl", condition: onLinux), "JSON", "Locks",
                "Platform", "StoreHosting", "Stores",
            ]),
        .target(name: "RemoteStoreTesting", dependencies: ["JSON", "StoreHosting", "StorehouseClient", "Stores"]),
        .target(name: "StoreKinds", dependencies: ["JSON", "RemoteServices", "StoreHosting", "Stores"]),

        .target(
            name: "Upstream",
            dependencies: [
                "CCrypto", "CCurl", "Curl", "HTTP", "Locks", "Platform", "RemoteServices", "Sockets", "Stores",
                "Threads",
            ]),
        .target(
            name: "Journal",
            dependencies: [
                "CSQLite", "JSON", "Locks", "Platform", "StoreHosting", "Stores", "Threads",
            ]),
        .target(
            name: "RedisJournal",
            dependencies: [
                "CCrypto", "CHiredis", "Cluster", "JSON", "Journal", "Locks", "Platform", "Sockets", "StoreHosting",
                "Stores", "Threads",
            ],
            resources: [.embedInCode("Scripts")]),
        .target(name: "Security", dependencies: ["CCrypto", "JSON", "StoreHosting", "Stores"]),
        .target(name: "Cluster", dependencies: ["JSON", "Security"]),
        // Without HTTP, HTTPServer and Sockets: a request to a session is a value, whatever it came by.
        .target(
            name: "Sessions",
            dependencies: [
                "CPlatform", "CPortable", "JSON", "Locks", "Observability", "Platform", "Security", "StoreHosting",
                "Stores", "Threads",
            ]),
        .target(
            name: "StorehouseServer",
            dependencies: [
                "Cluster", "HTTP", "HTTP2", "HTTPServer", "JSON", "Locks", "Observability", "Platform",
                "RemoteServices", "Security", "Sessions", "Sockets", "StoreHosting", "Stores", "Threads",
            ],
            exclude: ["Inspector/Source"], resources: [.embedInCode("Client"), .embedInCode("Inspector/Page")]),
        .target(
            name: "ServerWiring",
            dependencies: [
                "Curl", "HTTP", "HTTPServer", "JSON", "Journal", "Observability", "Platform", "RedisJournal",
                "RemoteServices", "Security", "Sockets", "StoreHosting", "StorehouseServer", "Upstream",
            ]),
        .target(
            name: "CommandLine",
            dependencies: [
                "Curl", "HTTP", "JSON", "Journal", "Observability", "Platform", "RedisJournal", "RemoteServices",
                "Security", "ServerWiring", "Sessions", "StoreHosting", "StorehouseClient", "StorehouseServer",
                "Stores", "Upstream",
            ],
            resources: [.embedInCode("Templates")]),
        .target(
            name: "Storehouse",
            dependencies: [
                "CommandLine", "JSON", "Observability", "Platform", "ServerWiring", "Sessions", "StoreHosting",
            ]),
        .target(
            name: "StorehouseTesting",
            dependencies: [
                "JSON", "Observability", "Platform", "RemoteServices", "Security", "ServerWiring", "StoreHosting",
                "StorehouseServer", "Stores", "StoresTesting", "Upstream",
            ]),
        .executableTarget(name: "StorehouseMain", dependencies: ["StoreHosting", "StoreKinds", "Storehouse"]),
        // The program of the package in Examples/Seats, for script/docs-test.
        .executableTarget(name: "ExampleSeats", dependencies: ["Storehouse"], path: "Examples/Seats/Sources/seats"),
        // The program of the package in Examples/ChatRoom, for script/docs-test.
        .executableTarget(name: "ExampleChat", dependencies: ["Storehouse"], path: "Examples/ChatRoom/Sources/chat"),
        // The program of the package in Examples/Cinema, for script/charge-test.
        .executableTarget(name: "ExampleCinema", dependencies: ["Storehouse"], path: "Examples/Cinema/Sources/cinema"),
        // The kind and the command-line program of the package in Examples/CinemaApp, for script/docs-test.
        .target(name: "SeatsKind", dependencies: ["StoreHosting"], path: "Examples/CinemaApp/Sources/SeatsKind"),
        .executableTarget(
            name: "ExampleCinemaApp", dependencies: ["SeatsKind", "StorehouseClient"],
            path: "Examples/CinemaApp/Sources/book"),
        .target(
            name: "ExampleStores", dependencies: ["JSON", "RemoteServices", "Stores"],
            path: "Examples/Stores"),

        .target(name: "FuzzProperties", dependencies: ["HTTP", "JSON", "Security"], path: "Fuzz/properties"),

        .target(name: "CAllocations", path: "Benchmarks/allocations"),
        .executableTarget(
            name: "storesbench",
            dependencies: [
                "CAllocations", "DeclaredTallies", "HTTP", "JSON", "Locks", "Security", "StoreHosting",
                "Stores",
            ],
            path: "Benchmarks/stores"),
        .executableTarget(
            name: "clientbench",
            dependencies: ["JSON", "StoreHosting", "StoreKinds", "StorehouseClient", "Stores"],
            path: "Benchmarks/remote"),
        .target(
            name: "DeclaredTallies", dependencies: ["JSON", "StoreHosting", "Stores"],
            path: "Benchmarks/declarations/kinds"),
        .executableTarget(
            name: "tallies", dependencies: ["DeclaredTallies", "StoreHosting", "Storehouse"],
            path: "Benchmarks/declarations/server"),

        // Reads Sources; script/architecture compiles it too.
        .testTarget(name: "ArchitectureTests", exclude: ["exceptions.txt", "public-names.txt"]),
        .testTarget(name: "LocksTests", dependencies: ["Locks"]),
        .testTarget(name: "ThreadsTests", dependencies: ["Locks", "Threads"]),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "Platform"]),
        .target(name: "HTTPRules", path: "Tests/HTTPRules"),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP", "HTTPRules", "StoresTesting", "FuzzProperties"]),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzProperties", "StoresTesting"]),
        .testTarget(name: "SocketsTests", dependencies: ["Sockets", "Locks", "Threads"]),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: ["HTTPServer", "HTTP", "Locks", "Platform", "Sockets", "StoresTesting", "Threads"]),
        .testTarget(
            name: "HTTP2Tests", dependencies: ["HTTP", "HTTP2", "HTTPServer", "Locks", "Platform", "Sockets"]),
        .testTarget(
            name: "StoresTests",
            dependencies: ["Stores", "StoreHosting", "RemoteServices", "StoresTesting", "JSON", "Locks"]),
        .testTarget(
            name: "StoreHostingTests",
            dependencies: [
                "JSON", "Locks", "ProcessTesting", "RemoteServices", "StoreHosting", "Stores", "StoresTesting",
            ]),
        .testTarget(name: "StoresTestingTests", dependencies: ["Locks", "Stores", "StoresTesting"]),
        .testTarget(
            name: "StorehouseClientTests",
            dependencies: [
                "CCurl", "Curl", "FaultyServices", "JSON", "Locks", "Platform", "ProcessTesting", "RemoteStoreTesting",
                "StoreHosting", "StorehouseClient", "Stores", "StoresTesting",
            ]),
        .testTarget(
            name: "RemoteStoreTestingTests",
            dependencies: [
                "FaultyServices", "JSON", "Locks", "RemoteStoreTesting", "StoreHosting", "StorehouseClient", "Stores",
            ]),
        // Lets the kit in Clients/conformance drive the client.
        .executableTarget(
            name: "storehouse-conformance-client",
            dependencies: ["JSON", "Locks", "StoreHosting", "StoreKinds", "StorehouseClient", "Stores"],
            path: "Tests/ConformanceClient"),
        .target(name: "RemoteTesting", dependencies: ["RemoteServices", "Stores"], path: "Tests/RemoteTesting"),
        .testTarget(
            name: "RemoteServicesTests",
            dependencies: ["JSON", "RemoteServices", "RemoteTesting", "Stores", "StoresTesting"]),
        .testTarget(
            name: "StoreKindsTests",
            dependencies: [
                "StoreKinds", "Stores", "StoreHosting", "RemoteServices", "StoresTesting", "JSON", "Locks",
            ]),
        .testTarget(
            name: "ExampleStoresTests",
            dependencies: ["ExampleStores", "RemoteServices", "Stores", "StoresTesting", "Locks"]),
        .target(name: "CFaultyDisk", path: "Tests/CFaultyDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CProcessTesting", path: "Tests/CProcessTesting"),
        .target(
            name: "ProcessTesting", dependencies: ["CProcessTesting", "Locks", "Platform"], path: "Tests/ProcessTesting"
        ),
        .target(name: "RedisTesting", dependencies: ["ProcessTesting"], path: "Tests/RedisTesting"),
        .testTarget(
            name: "JournalTests",
            dependencies: [
                "CFaultyDisk", "CSQLite", "Cluster", "ClusterSimulation", "FaultyServices", "JSON", "Journal", "Locks",
                "Platform", "ProcessTesting", "RedisJournal", "RedisTesting", "Security", "Sockets", "StoreHosting",
                "Stores",
                "Threads",
            ]),
        .target(name: "ClusterSimulation", dependencies: ["Cluster"], path: "Tests/ClusterSimulation"),
        .executableTarget(
            name: "clustersimulation", dependencies: ["ClusterSimulation", "Platform"], path: "Fuzz/cluster"),
        .testTarget(
            name: "ClusterTests",
            dependencies: ["Cluster", "ClusterSimulation", "JSON", "ProcessTesting", "Security", "StoresTesting"]),
        .target(name: "TokenVectors", path: "Tests/TokenVectors"),
        .testTarget(
            name: "SecurityTests", dependencies: ["JSON", "Security", "StoreHosting", "Stores", "TokenVectors"]),
        .target(
            name: "FaultyServices", dependencies: ["CPlatform", "Locks", "Platform"], path: "Tests/FaultyServices"),
        .testTarget(
            name: "UpstreamTests",
            dependencies: [
                "CCrypto", "Upstream", "Curl", "FaultyServices", "HTTP", "StoreKinds", "StorehouseClient", "Stores",
                "StoreHosting",
                "RemoteServices", "JSON", "Sockets", "Locks", "Platform",
            ]),
        .testTarget(name: "ObservabilityTests", dependencies: ["JSON", "Locks", "Observability", "Platform"]),
        .testTarget(
            name: "ServerWiringTests",
            dependencies: [
                "JSON", "RemoteServices", "ServerWiring", "StoreHosting", "StoreKinds", "StorehouseServer", "Stores",
                "Upstream",
            ]),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "CommandLine", "JSON", "Journal", "ProcessTesting", "Security", "ServerWiring", "StoreHosting",
                "StorehouseClient", "StorehouseServer", "Stores", "Upstream",
            ]),
        .testTarget(
            name: "StorehouseTests",
            dependencies: [
                "JSON", "Journal", "Observability", "ProcessTesting", "RemoteServices", "RemoteTesting", "Security",
                "ServerWiring", "StoreHosting", "StoreKinds", "Storehouse", "StorehouseServer", "StorehouseTesting",
                "Stores", "StoresTesting",
            ]),
        .testTarget(
            name: "SessionsTests",
            dependencies: [
                "JSON", "Locks", "Observability", "Platform", "Security", "Sessions", "StoreHosting", "Stores",
                "StoresTesting",
            ]),
        .testTarget(
            name: "StorehouseServerTests",
            dependencies: [
                "CFaultyDisk", "CProcessTesting", "Cluster", "CommandLine", "FaultyServices", "FuzzProperties", "HTTP",
                "HTTPRules", "HTTPServer", "JSON", "Journal", "Locks", "Observability", "Platform", "ProcessTesting",
                "RedisJournal", "RedisTesting", "RemoteServices", "RemoteTesting", "Security", "ServerWiring",
                "Sessions",
                "Sockets", "StoreHosting", "StoreKinds", "StorehouseServer", "Stores", "StoresTesting", "Threads",
                "TokenVectors",
                "Upstream",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

let cTargets: Set = [
    "CAllocations", "CCrypto", "CCurl", "CFaultyDisk", "CFirstProcess", "CHiredis", "CNghttp2", "CPlatform",
    "CPortable", "CProcessTesting", "CSQLite",
]
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
