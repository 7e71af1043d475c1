import JSON
package import Observability

/// The variable with which systemd names the directory of a service's credentials.
let credentialsDirectory = "CREDENTIALS_DIRECTORY"

/// The variable with the server or the session of the client commands. No server reads it, and it is no setting.
package let clientVariable = environmentPrefix + "URL"

// Settings from the environment, and secrets from the files that it names.
extension ConfigurationReader {
    mutating func read(environment: [String: String]) {
        var ofServices: [String] = []
        for (variable, text) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix(environmentPrefix) && variable != clientVariable {
            let source = ConfigurationProblem.Source.variable(variable)
            if let key = index.key(ofVariable: variable) {
                let value = key.json(ofText: key.mayHoldSecret ? text.withoutLineEnd : text)
                // A Service can have a name that makes the variable of a key, such as STOREHOUSE_HTTP_PORT.
                guard let detail = key.set(value, in: &root) else { continue }
                if ServiceVariable.matches(variable, text) {
                    ofServices.append(variable)
                } else {
                    report(key.path, source, detail)
                }
            } else if let section = index.optionalSection(ofVariable: variable) {
                set(section: section, text: text, from: source)
            } else if let key = index.key(ofFileVariable: variable) {
                let isGivenTwice = environment[key.variable]?.isEmpty == false
                if !isGivenTwice, !text.isEmpty { set(key, fromFile: text, from: source) }
                if isGivenTwice { report(key.path, source, "is given by \(key.variable) too; set one of the two") }
            } else if ServiceVariable.matches(variable, text) {
                ofServices.append(variable)
            } else {
                report(nil, source, Self.unknownKey(similar: index.similar(toVariable: variable)))
            }
        }
        if !ofServices.isEmpty { noteVariables(ofServices) }
    }

    /// Reads the secrets that systemd has put into a directory, each in a file with the name of its key.
    mutating func readCredentials(in directory: String?) {
        guard let directory, !directory.isEmpty else { return }
        for key in index.secretKeys {
            for name in ["storehouse." + key.path, key.path] {
                let path = "\(directory)/\(name)"
                guard SecretFile.exists(path) else { continue }
                set(key, fromFile: path, from: .file(path))
                break
            }
        }
    }

    private mutating func set(
        _ key: ConfigurationKey<Root>, fromFile path: String, from source: ConfigurationProblem.Source
    ) {
        do throws(SecretFile.Unusable) {
            let file = try SecretFile(path)
            set(key, key.json(ofText: file.text), from: source)
            guard file.isReadableByAll else { return }
            note(.warning, "every user of the machine may read the file '\(path)' with \(key.path); chmod o-r it")
        } catch {
            report(key.path, source, "the file '\(path)' \(error.detail)")
        }
    }

    private mutating func noteVariables(_ names: [String]) {
        let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
        note(
            .info,
            "variables that Kubernetes sets for Services are ignored: \(names.prefix(8).joined(separator: ", "))\(rest); "
                + "enableServiceLinks: false keeps them out of the pod")
    }

    mutating func note(_ key: ConfigurationKey<Root>, isVisibleIn flag: ConfigurationFlag) {
        note(
            .warning,
            "\(key.path) (\(flag.name)): every user of the machine sees it in the list of processes; set "
                + "\(key.fileVariable) to the name of a file with it")
    }

    private mutating func note(_ level: LogLevel, _ text: String) {
        root.notices.append(ConfigurationNotice(level: level, text: text.escapedForOneLine))
    }
}

/// A fact that an operator should know about a configuration although it is valid.
package struct ConfigurationNotice: Sendable, Hashable {
    package let level: LogLevel
    /// One line.
    package let text: String
}
