import Foundation
import HallScreen
import StorehouseClient
import SwiftUI

@main struct CinemaApp: App {
    var body: some Scene {
        WindowGroup {
            HallView(.mine(at: "http://127.0.0.1:8080", login, outbox: folder))
        }
    }

    /// An app asks its own login. This one finds the token in its environment.
    private let login = Login { _ in ProcessInfo.processInfo.environment["TOKEN"] }

    private let folder = URL.applicationSupportDirectory.appending(path: "outbox").path
}
