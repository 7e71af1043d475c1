/// The Lua scripts of the journal, which are the files in `Scripts`. Each is atomic, and repeating one whose answer was lost changes nothing.
///
/// Each script changes a session with one command, which is its last one, because of a defect of Redis 7.0 and others. If Redis is killed while it writes
/// a transaction to its append-only file, it cuts the file behind the last whole command of the transaction. When it reads the file
/// again, it executes the rest of the transaction together with the next one: see https://github.com/valkey-io/valkey/pull/4342.
/// These scripts make transactions, and a part of such a transaction does no harm:
///
/// - `open`, the first script of each connection. Its transaction ends a part that an earlier one has left, also of another program
/// - `relate` and `unindex`, which change lists of sessions. A subject is added before the commit that names it, which is lost too. If a
///   part of such a change is executed, the next load of the session completes it, or the next search for idle sessions
/// - `append` with thousands of commits. They are no part of the log before the last command sets the revision
/// - a script that reads the key of an ended session after that key has expired. Redis deletes the key in the same transaction
///
/// All keys begin with the same hash tag, so one server of a cluster has them all: `KEYS[1]` is the tag in braces. If a script
/// works on a session, `KEYS[2]` is the session's key. It ends with the SHA-256 of the id: the id itself is the right to use the
/// session, so it is stored encrypted.
///
/// - the session: a hash with all that belongs together; after its end a string with its owner, the key of `:me:` or '', and `shares` and
///   `permits` if it ever had a permit
///   - `c` and a revision: the commit of that revision; those up to the revision `cut` were deleted
///   - `s` and a revision: a snapshot; `snapshots` has their revisions, each with the bytes of all commits until there
///   - `state`: the initial state of a fork; `initial`: the key of that of any other session
///   - `permits`: the ids of the permits, each with a space behind it; `x` and an id: the record of one. Nobody reads a record whose id
///     is not in the list, and ids are never given again, so such records are deleted by a plain command
///   - `clients`: the marks of the clients, each with a space behind it; `o` and a mark: the record of one, as with permits. Sessions
///     of earlier releases have neither
///   - `a` and a number from `oldest` to `newest`: the time and the content of an idempotency record
/// - tag `:ids`, `:used`, `:due`: indexes of all sessions by their names, by their last use, and by their next timers. A session is
///   added before it is created, and removed after its end, so an index may have a session that does not exist. The last use in
///   the index may be a minute older than the field `used` of the session
/// - tag `:of:` and the SHA-1 of a subject behind `o` or `m`: the names of the sessions that it owns, or is a member of. Such a list may
///   have a session that the subject has left, and never lacks one
/// - tag `:has:` and the name of a session: the subjects in whose lists it is
/// - tag `:me:…`, `:initial:…`: the personal session of an owner and kind, and the initial states that sessions share
/// - tag `:meta`: the counter of writes and other facts of the storage. It has `owners` once the lists of subjects have the owners of all
///   sessions: an earlier release made none
/// - tag `:nodes`: by the numbers of their incarnations, when the leases of the nodes end by the clock of Redis, and where the nodes are
///   reached. An incarnation that has given its sessions back is gone, and one whose lease has ended is for some minutes more, so that a
///   claim can tell the one from the other
///
/// A session's `claim` is `incarnation epoch`: the incarnation of the node that owns it, and a number that each claim makes one higher, so it
/// names the one `RedisSessionJournal` that may append to it. It is free once the lease of its owner has ended, or the owner has
/// released it: then the incarnation in its claim is 0, which is nobody's. `sequence` is the newest of the journal's commands that was
/// executed. A command of another claim is refused, so a delayed one does no harm; one that was executed is recognized by its
/// number.
package enum RedisScript: String, CaseIterable, Sendable {
    case open, leave, probe, count, reserve, create, finishImport, load, append, schedule, relate, share, grant, end
    case unindex, release, compact, sweep
    case ended, list, uses, summaries, idle, unused, due, personal, commits, replay

    /// Whether it stores something that must be durable before it is acknowledged.
    var isWrite: Bool {
        let writes: [RedisScript] = [
            .reserve, .create, .finishImport, .append, .schedule, .relate, .share, .grant, .end, .unindex, .release,
            .compact, .sweep,
        ]
        return writes.contains(self)
    }
}
