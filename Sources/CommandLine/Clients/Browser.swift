import Platform

/// The program that shows addresses to the user.
struct Browser {
    private let program: String

    /// The browser of the user's desktop; nil if there is no desktop.
    static var system: Browser? {
        #if canImport(Darwin)
            return Browser(program: "open")
        #else
            let variables = environmentVariables()
            let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains { variables[$0]?.isEmpty == false }
            return hasDesktop ? Browser(program: "xdg-open") : nil
        #endif
    }

    /// - Returns: whether the program has taken the address.
    func show(_ address: String) -> Bool {
        func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }
        let (words, variables) = (copies([program, address]), copies(environmentVariables().map { "\($0)=\($1)" }))
        defer { for text in words + variables { free(text) } }
        // The output of the browser goes nowhere: it is no result of this command.
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, mode) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_WRONLY), (STDERR_FILENO, O_WRONLY)] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0)
        }
        var process: pid_t = 0
        guard posix_spawnp(&process, program, &actions, nil, words, variables) == 0 else { return false }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return false }
        }
        return status == 0
    }
}
