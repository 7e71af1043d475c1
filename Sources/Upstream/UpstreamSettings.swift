import Platform

/// How one remote service is called.
package struct UpstreamSettings: Sendable, Hashable {
    /// What the service is called in messages.
    package var name: String
    /// Where it is: an absolute `http` or `https` URL.
    package var url: String
    /// Fields sent with every request to the origin of `url`, and to no other. They may hold credentials.
    package var headers: [String: String]
    /// The time from the call to the whole answer: waiting in line, name look-up, redirects and retries included.
    package var timeout: Duration = .seconds(5)
    /// How often a call is tried again, at most.
    package var retries = 2
    /// How many calls are under way at a time.
    package var maxConcurrent = 256
    /// How many more may wait; nil for four times `maxConcurrent`.
    package var maxWaiting: Int?
    /// The largest body of an answer, after decompression, in bytes.
    package var maxBodyBytes = 1_048_576
    /// The largest header section of an answer, in bytes.
    package var maxHeaderBytes = 65_536
    /// How many calls in a row have to fail before the circuit opens; 0 for never.
    package var breakerFailures = 10
    /// How long an open circuit refuses calls.
    package var breakerCooldown: Duration = .seconds(5)
    /// A proxy to go through; nil for none, whatever the environment says.
    package var proxy: String?
    /// A file of certificates (PEM) to trust in place of the system's.
    package var caFile: String?
    /// A file with the certificate (PEM) that says who calls, and the certificates between it and its authority.
    package var clientCertificate: String?
    /// A file with the key (PEM) of the client certificate; nil where that file has it too.
    package var clientKey: String?
    /// What the key is encrypted with.
    package var clientKeyPassword: String?
    /// An answer that has begun and brings fewer bytes a second than this, all through `lowSpeedTime`, is given up; 0 for
    /// never.
    package var lowSpeedBytes = 16
    /// How long a slow answer is looked at.
    package var lowSpeedTime: Duration = .seconds(10)
    /// Whether addresses that are not public are refused, also after a redirect.
    package var denyPrivate = false

    package init(name: String, url: String, headers: [String: String] = [:]) {
        self.name = name
        self.url = url
        self.headers = headers
    }

    var waitingLimit: Int {
        if let maxWaiting { return max(maxWaiting, 0) }
        let (limit, overflow) = max(maxConcurrent, 1).multipliedReportingOverflow(by: 4)
        return overflow ? .max : limit
    }
}

extension UpstreamSettings {
    /// Where the service is, once all else is known to be in order too.
    func address() throws(UpstreamConfigurationError) -> HTTPURL {
        guard let address = HTTPURL(url) else { throw .url }
        for (name, value) in headers where FieldLine.isFraming(name) || FieldLine.line(name, value) == nil {
            throw .header(name: name)
        }
        let files = [
            (caFile, "certificates to trust"), (clientCertificate, "client certificate"), (clientKey, "client key"),
        ]
        for (path, purpose) in files {
            if let path, access(path, R_OK) != 0 { throw .file(path, purpose: purpose) }
        }
        return address
    }
}
