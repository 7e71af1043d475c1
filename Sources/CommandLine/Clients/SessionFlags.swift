extension CommandFlag {
    static let revision = CommandFlag(
        name: "--revision", placeholder: "N", summary: "the state at this revision, not the newest")
    static let changes = CommandFlag(name: "--changes", summary: "show what each action has changed")
    static let refused = CommandFlag(name: "--refused", summary: "show the last 100 actions that were refused, and why")
    static let type = CommandFlag(name: "--type", placeholder: "TYPE", summary: "only actions of this type")
    static let origin = CommandFlag(
        name: "--origin", placeholder: "NAME", summary: "only actions of client, middleware, effect or system",
        values: .words(["client", "middleware", "effect", "system"]))
    static let replay = CommandFlag(name: "--replay", summary: "send the later actions of clients to the fork again")
    static let skip = CommandFlag(
        name: "--skip", placeholder: "LIST", summary: "but not those of these revisions, separated by commas")
    static let replace = CommandFlag(
        name: "--replace", placeholder: "N", summary: "send TYPE in the place of the action of this revision")
    static let through = CommandFlag(name: "--through", placeholder: "N", summary: "and none after this revision")
    static let sharedPermissions = CommandFlag(
        name: "--may", placeholder: "LIST", summary: "its permissions, separated by commas: read, act, presence")
    static let actionTypes = CommandFlag(
        name: "--actions", placeholder: "LIST",
        summary: "the only types of actions that may be sent, separated by commas")
    static let expiresIn = CommandFlag(
        name: "--expires-in", placeholder: "TIME",
        summary: "how long it is valid, such as 30m, 8h or 7d; 1h if not given")
    static let guest = CommandFlag(
        name: "--guest", placeholder: "ID", summary: "its holder acts as the guest with this id")
    static let guestName = CommandFlag(
        name: "--guest-name", placeholder: "TEXT", summary: "the name of the guest for people to read")
    static let guestRoles = CommandFlag(
        name: "--guest-roles", placeholder: "LIST", summary: "the roles of the guest, separated by commas")
    static let label = CommandFlag(
        name: "--label", placeholder: "TEXT", summary: "the name of the share in the list of shares")
    static let yes = CommandFlag(name: "--yes", summary: "do not ask")
}
