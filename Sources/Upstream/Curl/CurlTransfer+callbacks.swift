import CCurl

// The C functions that libcurl calls; their context is the transfer, unretained: `CurlMulti` holds it meanwhile.
extension CurlTransfer {
    func setCallbacks(_ options: inout EasyOptions, _ easy: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        options.note(ccurl_set_sink(easy, CURLOPT_WRITEFUNCTION, Self.onBody))
        options.set(CURLOPT_WRITEDATA, pointer: context)
        options.note(ccurl_set_sink(easy, CURLOPT_HEADERFUNCTION, Self.onHeader))
        options.set(CURLOPT_HEADERDATA, pointer: context)
        options.note(ccurl_set_before_request(easy, Self.onRequest))
        options.set(CURLOPT_PREREQDATA, pointer: context)
        options.note(ccurl_set_open_socket(easy, Self.onConnection))
        options.set(CURLOPT_OPENSOCKETDATA, pointer: context)
        if request.address.isNamed {
            options.note(ccurl_set_before_lookup(easy, Self.onLookup))
            options.set(CURLOPT_RESOLVER_START_DATA, pointer: context)
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let onBody: curl_write_callback = { bytes, size, count, context in
        let length = size * count
        let bytes = UnsafeRawBufferPointer(start: bytes, count: length)
        return CurlTransfer.from(context)?.received(body: bytes) == true ? length : CurlTransfer.refusal(of: length)
    }

    private static let onHeader: curl_write_callback = { bytes, size, count, context in
        let length = size * count
        let line = UnsafeRawBufferPointer(start: bytes, count: length)
        return CurlTransfer.from(context)?.received(header: line) == true ? length : CurlTransfer.refusal(of: length)
    }

    /// Any number but the one given stops the transfer.
    private static func refusal(of length: Int) -> Int {
        length == 0 ? 1 : 0
    }

    private static let onRequest: curl_prereq_callback = { context, address, _, _, _ in
        guard let address, let transfer = CurlTransfer.from(context) else { return CURL_PREREQFUNC_ABORT }
        return transfer.beforeRequest(to: address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    private static let onConnection: curl_opensocket_callback = { context, _, address in
        guard let address, let transfer = CurlTransfer.from(context), transfer.beforeConnection(address) else {
            return CURL_SOCKET_BAD
        }
        return SocketOpening.open(address.pointee)
    }

    private static let onLookup: curl_resolver_start_callback = { _, _, context in
        CurlTransfer.from(context)?.beforeLookup() == true ? 0 : 1
    }
}
