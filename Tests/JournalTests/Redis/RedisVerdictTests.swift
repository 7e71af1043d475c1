import RedisJournal
import Testing

@Suite("The verdict on an error of Redis")
struct RedisVerdictTests {
    @Test(
        "tells a server that will execute a command later from one that will not, and from a command that cannot be",
        arguments: [
            ("NOSCRIPT No matching script.", RedisVerdict.retry), ("READONLY You can't write", .retry),
            ("BUSY Redis is busy running a script.", .retry), ("OOM command not allowed", .refused),
            ("MOVED 6918 10.0.0.2:6379", .retry), ("ASK 6918 10.0.0.2:6379", .refused),
            ("TRYAGAIN Multiple keys request", .refused), ("CLUSTERDOWN The cluster is down", .refused),
            ("MISCONF Redis is configured to save", .refused), ("NOREPLICAS Not enough good", .refused),
            ("NOPERM this user has no permissions", .refused), ("NOAUTH Authentication required.", .refused),
            ("ERR ACL failure in script: this user has no permissions", .refused), ("MASTERDOWN Link", .retry),
            ("ERR The user executing the script can't run this command script: 1586, on @user_script:2.", .refused),
            ("ERR The user executing the script can't access at least one of the keys mentioned", .refused),
            ("ERR Error running script (call to f_1): @user_script:2: ACL failure in script: no permissions", .refused),
            ("ERR unknown command 'EVALSHA'", .refused), ("ERR Unknown Redis command called from script", .refused),
            ("ERR Script killed by user with SCRIPT KILL... script: 694a, on @user_script:1.", .refused),
            ("CROSSSLOT Keys in request don't hash to the same slot", .refused),
            ("ERR Script attempted to access a non local key in a cluster node", .interrupted),
            ("ERR max requests limit exceeded", .interrupted), ("NEWCODE of a later release", .interrupted),
            ("LOADING Redis is loading", .retry), ("REDIRECT 10.0.0.2:6379", .retry),
            ("WRONGTYPE Operation against a key", .failed),
            ("ERR hash value is not an integer script: 1586, on @user_script:2.", .failed),
            ("ERR user_script:2: attempt to index local 'x' (a nil value) script: 6352, on @user_script:2.", .failed),
        ])
    func verdicts(error: String, verdict: RedisVerdict) { #expect(RedisVerdict(error: error) == verdict) }

    @Test("says what to do about a missing permission, and nothing about the place in a script")
    func explanations() {
        let inScript = "ERR The user executing the script can't run this command script: 1586, on @user_script:2."
        for error in ["NOPERM this user has no permissions to run the 'evalsha' command", inScript] {
            let text = RedisVerdict.explanation(of: error)
            #expect(text.contains("ACL SETUSER") && text.contains("storage.redis.url"))
            #expect(!text.contains("@user_script"))
        }
        #expect(RedisVerdict.explanation(of: "OOM it is full") == "OOM it is full")
    }
}
