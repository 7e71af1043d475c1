package import CCurl

/// Sets options of one easy handle, and remembers whether libcurl rejected one.
package struct EasyOptions {
    private let easy: UnsafeMutableRawPointer
    package private(set) var allAccepted = true

    package init(_ easy: UnsafeMutableRawPointer) {
        self.easy = easy
    }

    package mutating func check(_ code: CURLcode) {
        if code != CURLE_OK { allAccepted = false }
    }

    package mutating func set(_ option: CURLoption, _ value: Int) {
        check(ccurl_set_long(easy, option, value))
    }

    package mutating func set(_ option: CURLoption, large value: Int) {
        check(ccurl_set_large(easy, option, curl_off_t(value)))
    }

    package mutating func set(_ option: CURLoption, _ value: String) {
        check(ccurl_set_string(easy, option, value))
    }

    package mutating func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) {
        check(ccurl_set_pointer(easy, option, value))
    }

    package mutating func set(_ option: CURLoption, blob bytes: [UInt8]) {
        bytes.withUnsafeBytes { check(ccurl_set_blob(easy, option, $0.baseAddress, $0.count)) }
    }

    package mutating func set(_ option: CURLoption, copying bytes: [UInt8]) {
        // With a null pointer libcurl would read the body with a callback.
        let bytes = bytes.isEmpty ? [0] : bytes
        bytes.withUnsafeBytes { bytes in
            check(ccurl_set_pointer(easy, option, UnsafeMutableRawPointer(mutating: bytes.baseAddress)))
        }
    }
}
