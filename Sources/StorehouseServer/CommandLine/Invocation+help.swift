extension Invocation {
    /// What `--help` prints, without the last line break.
    package static var helpText: String {
        """
        storehouse hosts stores: state that changes by actions only, over HTTP, watched live.

        Usage:
        \(commands)
          storehouse --version | --help

        A flag's value may also be written as --flag=value.

        Configuration: a JSON file, then the environment, then flags; the later wins. Without --config the file is
        \(Configuration.defaultFile) in the working directory, if it is there. Every key can be set by a variable made
        of its path: http.maxBodyBytes is STOREHOUSE_HTTP_MAX_BODY_BYTES; a list is written with commas. 'storehouse
        check-config' shows every key. What is wrong with it is said before anything listens, with exit code 2.

        Example:
          storehouse serve --port 8080 &
          curl -s -X POST localhost:8080/sessions                      makes a session; take its id
          curl -N localhost:8080/sessions/ID/events                    shows every change of its state
          curl -d '{"type":"counter/increment","payload":{"by":2}}' localhost:8080/sessions/ID/actions
          curl -d '{"type":"animal/fetchAnimal"}' localhost:8080/sessions/ID/actions
          curl -s localhost:8080/stores                                lists all actions, with an example of each
        """
    }

    private static var commands: String {
        CommandDeclaration.all.map { command in
            let flags = command.flags.map { flag in
                "      \(column("\(flag.name) \(flag.placeholder)", width: 16))\(flag.summary)"
            }
            return (["  storehouse \(command.usage)", "      \(command.summary)"] + flags).joined(separator: "\n")
        }
        .joined(separator: "\n")
    }

    private static func column(_ text: String, width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 1))
    }
}
