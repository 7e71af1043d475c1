/// The text of a script: its file, behind the prologues that it needs.
extension RedisScript {
    package var source: String {
        let script = LuaFile(file)
        let source = script.shebang + prologues.map { LuaFile($0).code }.joined() + script.code.dropLast()
        return self == .probe ? source.replacing("COMMANDS", with: Self.commands.joined(separator: " ")) : source
    }

    /// The commands that the other scripts execute.
    package static let commands: [String] = {
        let sources = allCases.filter { $0 != .probe }.map(\.source)
        let names = sources.joined().split(separator: "call('").dropFirst().map { $0.prefix { $0 != "'" } }
        return Set(names.map(String.init)).sorted()
    }()

    /// Its first line has the flags of the script. One that frees memory, or only changes a field, has `allow-oom`, because it works in
    /// a full server too.
    private var file: [UInt8] {
        switch self {
        case .open: PackageResources.open_lua
        case .leave: PackageResources.leave_lua
        case .probe: PackageResources.probe_lua
        case .count: PackageResources.count_lua
        case .reserve: PackageResources.reserve_lua
        case .create: PackageResources.create_lua
        case .finishImport: PackageResources.finish_import_lua
        case .load: PackageResources.load_lua
        case .append: PackageResources.append_lua
        case .schedule: PackageResources.schedule_lua
        case .relate: PackageResources.relate_lua
        case .share: PackageResources.share_lua
        case .grant: PackageResources.grant_lua
        case .end: PackageResources.end_lua
        case .unindex: PackageResources.unindex_lua
        case .release: PackageResources.release_lua
        case .compact: PackageResources.compact_lua
        case .sweep: PackageResources.sweep_lua
        case .ended: PackageResources.ended_lua
        case .list: PackageResources.list_lua
        case .uses: PackageResources.uses_lua
        case .summaries: PackageResources.summaries_lua
        case .idle: PackageResources.idle_lua
        case .unused: PackageResources.unused_lua
        case .due: PackageResources.due_lua
        case .personal: PackageResources.personal_lua
        case .commits: PackageResources.commits_lua
        case .replay: PackageResources.replay_lua
        }
    }

    private var prologues: [[UInt8]] {
        let others: [[UInt8]] =
            switch self {
            case .open, .end, .idle, .unused, .due: [PackageResources.owners_lua]
            case .list, .summaries: [PackageResources.owners_lua, PackageResources.rows_lua]
            case .load: [PackageResources.owners_lua, PackageResources.log_lua]
            case .commits, .replay: [PackageResources.log_lua]
            case .create, .finishImport: [PackageResources.creation_lua]
            case .append, .share, .grant: [PackageResources.fence_lua, PackageResources.lists_lua]
            default: []
            }
        return [PackageResources.fields_lua] + others
    }
}

/// A file of Lua. The comment at its beginning is for readers of the file only: Redis does not get it.
private struct LuaFile {
    /// The first line, with the flags; empty in a prologue.
    var shebang = ""
    /// Ends with a line break.
    private(set) var code = ""

    init(_ bytes: [UInt8]) {
        var rest = String(decoding: bytes, as: UTF8.self)[...]
        while rest.hasPrefix("#!") || rest.hasPrefix("--") {
            let line = rest.prefix { $0 != "\n" }
            if line.hasPrefix("#!") { shebang = line + "\n" }
            rest = rest[line.endIndex...].dropFirst()
        }
        code = String(rest)
    }
}
