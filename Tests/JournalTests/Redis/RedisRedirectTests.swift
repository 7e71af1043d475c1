import Journal
import RedisJournal
import Sockets
import Testing

@Suite("The answers of Redis Cluster that name another node")
struct RedisRedirectTests {
    @Test(
        "are read",
        arguments: [
            ("MOVED 6918 10.0.0.2:6379", RedisRedirect.moved(host: "10.0.0.2", port: 6379)),
            ("MOVED 0 node-2.redis_x.example:1", .moved(host: "node-2.redis_x.example", port: 1)),
            ("MOVED 16383 ::1:65535", .moved(host: "::1", port: 65535)),
            ("MOVED 7 :7001", .moved(host: "", port: 7001)),
            ("ASK 6918 10.0.0.2:6379", .moving), ("TRYAGAIN Multiple keys request during rehashing of slot", .moving),
        ])
    func redirects(error: String, redirect: RedisRedirect) { #expect(RedisRedirect(error: error) == redirect) }

    @Test(
        "are nothing else, whatever a server says",
        arguments: [
            "", "MOVED", "MOVED ", "MOVED 1", "MOVED 1 ", "MOVED 1 a", "MOVED 1 a:", "MOVED 1 a:0", "MOVED 1 a:65536",
            "MOVED 1 a:-1", "MOVED 1 a:+1", "MOVED 1 a:1 ", "MOVED 1 a:1 b", "MOVED  1 a:1", "MOVED 16384 a:1",
            "MOVED -1 a:1", "MOVED x a:1", "MOVED 1 ?:1", "MOVED 1 a/b:1", "MOVED 1 u@a:1", "MOVED 1 -a:1",
            "MOVED 1 [::1]:1", "MOVED 1 a\u{0}b:1", "MOVED 1 ä:1", "MOVED 1 a\r\nb:1", "MOVED 1 a:\u{661}",
            "MOVED 1 a:99999999999999999999", "MOVED 1 " + String(repeating: "a", count: 254) + ":1", "moved 1 a:1",
            "ERR unknown", "MOVEDX 1 a:1",
        ])
    func malformed(error: String) { #expect(RedisRedirect(error: error) == nil) }

    @Test("An empty host is that of the node that has answered")
    func emptyHost() throws {
        let moved = try #require(RedisRedirect(error: "MOVED 1 :7001"))
        let socket = try #require(UnixSocketPath("/redis.sock"))
        #expect(moved.endpoint(from: .tcp(host: "a", port: 1)) == .tcp(host: "a", port: 7001))
        #expect(moved.endpoint(from: .unix(socket)) == nil)
        let named = try #require(RedisRedirect(error: "MOVED 1 b:7001"))
        #expect(named.endpoint(from: .unix(socket)) == .tcp(host: "b", port: 7001))
        #expect(RedisRedirect.moving.endpoint(from: .tcp(host: "a", port: 1)) == nil)
    }

    @Test("The nodes of a cluster are those that have slots, and their replicas")
    func nodes() {
        let node = { (host: String?, port: Int) in
            RedisReply.array([host.map { .bytes(Array($0.utf8)) } ?? .null, .integer(port), .bytes(Array("id".utf8))])
        }
        let slots = RedisReply.array([
            .array([.integer(0), .integer(5460), node("10.0.0.1", 1), node("", 2), node("?", 3)]),
            .array([.integer(5461), .integer(9), node("10.0.0.1", 1), node(nil, 4), node("b", 0), .integer(7)]),
            .array([.integer(1)]), .null,
        ])
        let current = RedisAddress.Endpoint.tcp(host: "a", port: 2)
        let found = RedisClusterNodes.endpoints(slots, from: current)
        #expect(found == [.tcp(host: "10.0.0.1", port: 1), .tcp(host: "a", port: 4)])
        #expect(RedisClusterNodes.endpoints(.error("NOPERM"), from: current) == [])
        let many = RedisReply.array([.array([.integer(0), .integer(1)] + (1...99).map { node("c", $0) })])
        #expect(RedisClusterNodes.endpoints(many, from: current).count == RedisClusterNodes.limit)
    }
}
