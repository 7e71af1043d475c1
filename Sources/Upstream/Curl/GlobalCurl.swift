import CCurl

/// libcurl's state for the whole process.
enum GlobalCurl {
    private static let result = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Makes it ready, once.
    static func start() {
        _ = result
    }
}
