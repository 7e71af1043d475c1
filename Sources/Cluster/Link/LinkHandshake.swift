/// The version of what two nodes say to each other, and the names that they go by.
///
/// The node that opens a connection is the caller, and the other one the answerer. Each proves that it has the secret of the nodes,
/// over two nonces that are used for one connection only, so that nothing which was said on another connection is of use:
///
///     hello    caller → answerer    version, release and name of the caller, its nonce, and a code of these for this answerer
///     answer   answerer → caller    version and release of the answerer, its nonce, and a code of all
///     proof    caller → answerer    a code of all, with the first request
///
/// Without the secret nobody gets an answer. Whoever repeats a hello that it has read gets one, and cannot make the proof. The codes
/// of the three are made for different purposes, so that none can be sent back in the place of another one.
package enum LinkVersion {
    package static let current = 1

    /// A longer message is not looked at.
    static let maxBytes = 768
    private static let maxNameBytes = 512
    private static let maxReleaseBytes = 64

    /// Why there is no connection to the other node.
    package enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        case malformed
        case version(Int)
        /// The other end does not have the secret, or takes this one for another node.
        case notProven
        case noLibrary

        package var description: String {
            switch self {
            case .malformed: "it does not answer as a node does"
            case .version(let other): "it has version \(other) of the protocol between nodes, and this node \(current)"
            case .notProven: "it has not proved that it has the same cluster.secret"
            case .noLibrary: "libcrypto cannot be loaded"
            }
        }
    }

    /// The words of a message of this version.
    ///
    /// - Parameter count: how many come behind the version.
    static func words(of message: String, count: Int) throws(Failure) -> [Substring] {
        guard message.utf8.count <= maxBytes else { throw .malformed }
        let words = message.split(separator: " ", omittingEmptySubsequences: false)
        guard let first = words.first, let version = Int(first), 1...999_999 ~= version, String(version) == first else {
            throw .malformed
        }
        guard version == current else { throw .version(version) }
        guard words.count == count + 1 else { throw .malformed }
        return Array(words.dropFirst())
    }

    static func isName(_ text: Substring) -> Bool { isVisible(text, upTo: maxNameBytes) }

    static func isRelease(_ text: Substring) -> Bool { isVisible(text, upTo: maxReleaseBytes) }

    private static func isVisible(_ text: Substring, upTo count: Int) -> Bool {
        1...count ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7e ~= $0 }
    }
}

/// The versions, names and nonces that both ends sign.
private struct Transcript: Sendable {
    var version = LinkVersion.current
    let caller: String
    let answerer: String
    let callerRelease: String
    var answererRelease = ""
    let callerNonce: LinkNonce
    var answererNonce: LinkNonce?

    var lines: [String] {
        let first = [String(version), caller, answerer, callerRelease, callerNonce.text]
        guard let answererNonce else { return first }
        return first + [answererRelease, answererNonce.text]
    }
}

/// The end that opens a connection, until it knows that the other end is the node it looks for.
package struct LinkCaller: Sendable {
    /// To be sent first.
    package let hello: String
    private let transcript: Transcript
    private let secret: LinkSecret

    /// - Parameters:
    ///   - own: the name of this node.
    ///   - other: that of the node at the other end.
    ///   - release: that of this program.
    package init(
        _ secret: LinkSecret, from own: String, to other: String, release: String, _ nonce: LinkNonce = .random()
    ) throws(LinkVersion.Failure) {
        self.secret = secret
        transcript = Transcript(caller: own, answerer: other, callerRelease: release, callerNonce: nonce)
        guard let code = secret.code(for: .hello, transcript.lines) else { throw .noLibrary }
        hello = "\(LinkVersion.current) \(release) \(own) \(nonce.text) \(code)"
    }

    /// Takes the answer.
    ///
    /// - Returns: the connection, and the proof that goes with its first request.
    package func receive(_ answer: String) throws(LinkVersion.Failure) -> (link: CalledLink, proof: String) {
        let words = try LinkVersion.words(of: answer, count: 3)
        guard LinkVersion.isRelease(words[0]), let nonce = LinkNonce(words[1]) else { throw .malformed }
        var transcript = transcript
        (transcript.answererRelease, transcript.answererNonce) = (String(words[0]), nonce)
        let lines = transcript.lines
        guard secret.isCode(words[2], for: .answer, lines) else { throw .notProven }
        guard let proof = secret.code(for: .proof, lines), let key = secret.key(lines) else { throw .noLibrary }
        return (CalledLink(key), proof)
    }
}

/// The end that accepts a connection.
package struct LinkAnswerer: Sendable {
    /// To be sent in response to the hello.
    package let answer: String
    /// The name of the node that has sent the hello. It counts only once the node has proved itself.
    package let caller: String
    /// The release of that node.
    package var callerRelease: NodeRelease { NodeRelease(text: transcript.callerRelease) }
    private let transcript: Transcript
    private let secret: LinkSecret

    /// - Parameters:
    ///   - hello: the first message of the other end.
    ///   - own: the name of this node.
    ///   - release: that of this program.
    package init(
        _ secret: LinkSecret, _ hello: String, at own: String, release: String, _ nonce: LinkNonce = .random()
    ) throws(LinkVersion.Failure) {
        let words = try LinkVersion.words(of: hello, count: 4)
        guard LinkVersion.isRelease(words[0]), LinkVersion.isName(words[1]), let other = LinkNonce(words[2]) else {
            throw .malformed
        }
        var transcript = Transcript(
            caller: String(words[1]), answerer: own, callerRelease: String(words[0]), callerNonce: other)
        guard secret.isCode(words[3], for: .hello, transcript.lines) else { throw .notProven }
        (transcript.answererRelease, transcript.answererNonce) = (release, nonce)
        guard let code = secret.code(for: .answer, transcript.lines) else { throw .noLibrary }
        answer = "\(LinkVersion.current) \(release) \(nonce.text) \(code)"
        caller = transcript.caller
        self.transcript = transcript
        self.secret = secret
    }

    /// Takes the proof.
    package func receive(_ proof: String) throws(LinkVersion.Failure) -> AnsweredLink {
        let lines = transcript.lines
        guard secret.isCode(proof[...], for: .proof, lines) else { throw .notProven }
        guard let key = secret.key(lines) else { throw .noLibrary }
        return AnsweredLink(key)
    }
}
