import CNghttp2
import HTTPServer
import Platform

/// A session of nghttp2: bytes in, events to its owner, bytes out.
final class HTTP2Session {
    /// The codes of RFC 9113, section 7, that this server sends.
    enum Code: UInt32 {
        case none = 0
        case protocolError = 1
        case cancelled = 8
        case enhanceYourCalm = 11
    }

    private let session: OpaquePointer

    /// - Parameter owner: gets the events. It must outlive the session.
    /// - Returns: nil without memory. The library must be loaded.
    init?(of owner: HTTP2Connection, maxStreams: UInt32, maxHeadBytes: Int) {
        var limits = cnghttp2_limits(max_streams: maxStreams, max_head_bytes: UInt32(clamping: maxHeadBytes))
        guard let session = cnghttp2_open(Self.events, &limits, Unmanaged.passUnretained(owner).toOpaque()) else {
            return nil
        }
        self.session = session
    }

    deinit { cnghttp2_close(session) }

    /// - Returns: false if the connection has to end.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        cnghttp2_receive(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) == 0
    }

    /// Appends the bytes for the client.
    ///
    /// - Returns: the number of frames; nil if the connection has to end.
    func appendOutput(to output: inout [UInt8], upTo limit: Int) -> Int? {
        var frames = 0
        while output.count < limit {
            var bytes: UnsafePointer<UInt8>?
            let count = cnghttp2_output(session, &bytes)
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            frames += 1
        }
        return frames
    }

    /// A request has begun. It has to live until its stream is closed.
    func begin(_ stream: HTTP2Stream) {
        cnghttp2_set_request(session, stream.number, Unmanaged.passUnretained(stream).toOpaque())
    }

    /// - Parameter head: an encoded head of HTTP/1.1. Its names become lower case.
    func respond(_ stream: HTTP2Stream, _ head: inout [UInt8], hasBody: Bool) {
        HTTP2Fields.withFields(of: &head) { fields in
            cnghttp2_respond(session, stream.number, fields.baseAddress, fields.count, hasBody ? 1 : 0)
        }
    }

    func sendContinue(_ stream: Int32) { cnghttp2_continue(session, stream) }

    /// Has the bytes of a stream taken, and its end.
    func offer(_ stream: HTTP2Stream) {
        cnghttp2_offer(session, stream.number, Unmanaged.passUnretained(stream).toOpaque())
    }

    func reset(_ stream: Int32, _ code: Code) { cnghttp2_reset(session, stream, code.rawValue) }

    /// Tells the client to begin no more requests here.
    func drain() { cnghttp2_drain(session) }

    func terminate(_ code: Code) { cnghttp2_terminate(session, code.rawValue) }

    /// Whether nothing more is to be sent, nor awaited.
    var isOver: Bool { cnghttp2_is_over(session) != 0 }

    /// The functions that all sessions call, each with its owner. Safe to share between threads, because nobody changes them.
    private nonisolated(unsafe) static let events: UnsafePointer<cnghttp2_events> = {
        let events = UnsafeMutablePointer<cnghttp2_events>.allocate(capacity: 1)
        events.initialize(
            to: cnghttp2_events(
                begin: { owner, stream in HTTP2Connection.of(owner).began(stream) },
                field: { owner, stream, name, nameLength, value, valueLength in
                    HTTP2Connection.of(owner).received(
                        UnsafeRawBufferPointer(start: name, count: nameLength),
                        UnsafeRawBufferPointer(start: value, count: valueLength))
                },
                head: { owner, stream, ends in HTTP2Connection.of(owner).receivedHead(of: stream, isAll: ends != 0) },
                body: { request, bytes, length in
                    HTTP2Stream.of(request).request?.received(UnsafeRawBufferPointer(start: bytes, count: length))
                },
                end: { request in HTTP2Stream.of(request).receivedEnd() },
                closed: { owner, number, request in
                    HTTP2Connection.of(owner).closed(number, request.map { HTTP2Stream.of($0) })
                },
                control: { owner, type, isAcknowledgement in
                    HTTP2Connection.of(owner).receivedControl(type, isAcknowledgement: isAcknowledgement != 0)
                },
                source: { request, buffer, length, rest in
                    let taken = HTTP2Stream.of(request).take(
                        UnsafeMutableRawBufferPointer(start: buffer, count: length))
                    rest?.pointee = cnghttp2_rest(taken.rest)
                    return taken.count
                }))
        return UnsafePointer(events)
    }()
}

extension HTTP2Connection {
    fileprivate static func of(_ owner: UnsafeMutableRawPointer?) -> HTTP2Connection {
        guard let owner else { preconditionFailure("a session has an owner") }
        return Unmanaged<HTTP2Connection>.fromOpaque(owner).takeUnretainedValue()
    }
}

extension HTTP2Stream {
    fileprivate static func of(_ request: UnsafeMutableRawPointer?) -> HTTP2Stream {
        guard let request else { preconditionFailure("the event is one of a request") }
        return Unmanaged<HTTP2Stream>.fromOpaque(request).takeUnretainedValue()
    }
}

extension cnghttp2_rest {
    fileprivate init(_ rest: HTTP2Progress.Rest) {
        self =
            switch rest {
            case .more: CNGHTTP2_MORE
            case .later: CNGHTTP2_LATER
            case .end: CNGHTTP2_END
            }
    }
}
