import Dispatch
import Locks
import Platform

/// A program that a test needs beside itself.
///
/// It inherits no descriptors but three: the sockets of other tests would stay open in it.
struct Program: Sendable {
    struct Failure: Error {
        let script: String
        let status: Int32
    }

    private let id: pid_t

    /// Starts a script of bash.
    ///
    /// - Parameters:
    ///   - script: what to do; `$1` is the first argument.
    ///   - channel: its standard input and output; nil for none.
    init(_ script: String, _ arguments: [String], channel: Int32? = nil) throws {
        let closing = """
            for file in /proc/$$/fd/* /dev/fd/*; do
                number=${file##*/}
                if [[ $number =~ ^[0-9]+$ ]] && ((number > 2)); then eval "exec $number>&-"; fi
            done 2>/dev/null

            """
        let words = (["/bin/bash", "-c", closing + script, "bash"] + arguments).map { strdup($0) } + [nil]
        var actions = Self.makeActions()
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for word in words { free(word) }
        }
        for descriptor in [Int32(0), 1] {
            if let channel {
                posix_spawn_file_actions_adddup2(&actions, channel, descriptor)
            } else {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
        }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_RDWR, 0)
        var id: pid_t = 0
        let status = posix_spawn(&id, "/bin/bash", &actions, nil, words, environ)
        guard status == 0 else { throw Failure(script: script, status: status) }
        self.id = id
    }

    /// Runs a script to its end, which must be a good one.
    static func run(_ script: String, _ arguments: String...) async throws {
        let program = try Program(script, arguments)
        let status = await Promise.value { program.reap($0) }
        guard status == 0 else { throw Failure(script: script, status: status) }
    }

    func end() {
        kill(id, SIGKILL)
        reap()
    }

    /// Waits for the end on a thread of its own. Swift's threads are few, and a test that blocks them delays all others.
    func reap(_ done: @escaping @Sendable (_ status: Int32) -> Void = { _ in }) {
        DispatchQueue(label: "program").async { [id] in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            done(status)
        }
    }

    #if canImport(Darwin)
        private static func makeActions() -> posix_spawn_file_actions_t? {
            var actions: posix_spawn_file_actions_t?
            posix_spawn_file_actions_init(&actions)
            return actions
        }
    #else
        private static func makeActions() -> posix_spawn_file_actions_t {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            return actions
        }
    #endif
}
