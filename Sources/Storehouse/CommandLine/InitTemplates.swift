import JSON

/// The files of a new package. Only this file changes when the way to write a store does.
struct InitTemplates {
    /// The checkout that this program was built from. It may be gone, or on another machine.
    static let ownCheckout = #filePath.prefix(before: "/Sources/Storehouse/")

    /// Modules that a package must not have the name of, in lower case.
    static let reservedModules: Set<String> = [
        "foundation", "http", "httpserver", "journal", "json", "locks", "observability", "platform", "remoteservices",
        "sealing", "sockets", "storehosting", "storehouse", "storehouseserver", "storehousetesting", "stores",
        "storestesting", "swift", "testing", "upstream",
    ]

    let name: String
    /// The path of the checkout that the package depends on, because no version is published yet.
    let checkout: String

    /// The name of the module: that of the package, as an identifier.
    static func module(_ name: String) -> String { name.replacing("-", with: "_") }

    private var module: String { Self.module(name) }

    /// The type of the program: `MyHallApp` for `my-hall`.
    private var type: String {
        var names = IdentifierNames()
        return names.name(name, isType: true) + "App"
    }

    /// Each file with its path below the package.
    var files: [(path: String, text: String)] {
        [
            ("Package.swift", manifest),
            ("Sources/\(name)/Seats.swift", store),
            ("Sources/\(name)/\(type).swift", program),
            ("Tests/\(name)Tests/SeatsTests.swift", test),
            ("config/storehouse.json", configuration),
            ("Dockerfile", dockerfile),
            (".dockerignore", ".build\n.git"),
            (".gitignore", ".build/\n*.db*"),
            ("README.md", readme),
        ]
    }

    private var manifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "\(name)",
            platforms: [.macOS(.v15)],
            dependencies: [
                .package(name: "storehouse", path: \(SwiftNames.quoted(checkout)))
            ],
            targets: [
                .executableTarget(
                    name: "\(name)", dependencies: [.product(name: "Storehouse", package: "storehouse")]),
                .testTarget(
                    name: "\(name)Tests",
                    dependencies: [
                        "\(name)",
                        .product(name: "StoresTesting", package: "storehouse"),
                        .product(name: "StorehouseTesting", package: "storehouse"),
                    ]),
            ],
            swiftLanguageModes: [.v6]
        )
        """
    }

    private var store: String {
        """
        import Storehouse

        /// The state of a session.
        struct Seats: Equatable {
            var guests: [String] = []
        }

        let book = Action<Seats, String>(
            "book", "Books a seat.", .text("guest", 1...80, example: "Ada"),
            rules: .reject("sold-out") { hall, _ in hall.guests.count == 3 }
        ) { hall, guest in hall.guests.append(guest) }

        let seats = StoreDefinition("seats", "A small hall.", Seats()) {
            Member("guests", \\.guests)
            book
            Action("clear", "Frees all seats.") { hall in hall.guests = [] }
        }
        """
    }

    private var program: String {
        """
        import Storehouse

        @main struct \(type): StorehouseApp {
            var kinds: [StoreKind] { seats }
        }
        """
    }

    private var test: String {
        """
        import Storehouse
        import StoresTesting
        import Testing

        @testable import \(module)

        @Test func theDefinitionHasNoMistakes() {
            #expect(seats.kind.problems.isEmpty)
        }

        @Test func theFourthGuestIsRejected() throws {
            let store = TestStore(Seats(), reducer: seats.reducer)
            for guest in ["Ada", "Grace", "Edsger"] {
                try store.dispatch(book(guest)) { $0.guests.append(guest) }
            }
            try store.expectRejected(book("Alan"), "sold-out")
            try store.finish()
        }
        """
    }

    private var configuration: String {
        """
        {
          "http": {"port": 8080},
          "storage": {"kind": "sqlite", "path": "\(name).db"}
        }
        """
    }

    private var dockerfile: String {
        """
        # Package.swift depends on a checkout of Storehouse, so the checkout is a second context of the build:
        #
        #   docker build --build-context storehouse=\(checkout) -t \(name) .
        ARG BUILD_IMAGE=swift:6.3-bookworm
        ARG RUN_IMAGE=debian:bookworm-slim

        FROM ${BUILD_IMAGE} AS build
        RUN apt-get -qq update \\
            && apt-get install -qq --no-install-recommends libcurl4-openssl-dev libhiredis-dev libsqlite3-dev libssl-dev
        COPY --from=storehouse [".", \(JSONValue.string(checkout))]
        WORKDIR /src
        COPY . .
        RUN swift build -c release --static-swift-stdlib --product \(name)

        FROM ${RUN_IMAGE}
        RUN apt-get -qq update \\
            && apt-get install -qq --no-install-recommends ca-certificates libcurl4 libhiredis0.14 libsqlite3-0 libssl3 \\
            && rm -rf /var/lib/apt/lists/* \\
            && install -d -o 10001 -g 10001 -m 0700 /var/lib/\(name)
        COPY --from=build /src/.build/release/\(name) /usr/local/bin/\(name)
        COPY config/storehouse.json /etc/\(name).json
        USER 10001:10001
        WORKDIR /var/lib/\(name)
        VOLUME /var/lib/\(name)
        EXPOSE 8080
        HEALTHCHECK CMD ["\(name)", "healthcheck", "--config", "/etc/\(name).json"]
        ENTRYPOINT ["\(name)"]
        CMD ["serve", "--config", "/etc/\(name).json", "--host", "0.0.0.0"]
        """
    }

    private var readme: String {
        """
        # \(name)

        A Storehouse server. `Sources/\(name)/Seats.swift` is its store.

            swift test              # the test of the store
            swift run \(name) serve    # http://127.0.0.1:8080, with an inspector for browsers
            swift run \(name) send http://127.0.0.1:8080 seats/book guest=Ada --store seats
            swift run \(name) --help   # every other command

        Sessions are stored in `\(name).db`; `config/storehouse.json` says so. The package depends on the checkout of Storehouse at
        `\(checkout)`. Its page `docs/stores.md` explains how to write a store. An image is built from both folders:

            docker build --build-context storehouse=\(checkout) -t \(name) .
            docker run -p 8080:8080 -v \(name):/var/lib/\(name) \(name)

        `buildah bud` takes the same arguments. `--build-arg BUILD_IMAGE=…` and `--build-arg RUN_IMAGE=…` choose other base images.
        If the store calls a service, say where it is: `docker run -e STOREHOUSE_UPSTREAMS_NAME_URL=…`. There, 127.0.0.1 is the
        container itself.
        """
    }
}

extension String {
    /// What stands before the last occurrence of a text.
    fileprivate func prefix(before text: String) -> String {
        ranges(of: text).last.map { String(self[..<$0.lowerBound]) } ?? self
    }
}
