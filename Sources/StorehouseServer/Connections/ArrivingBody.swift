import HTTP

/// A body that did not come whole with its head.
final class ArrivingBody {
    let head: RequestHead
    var decoder: BodyDecoder

    init(behind head: RequestHead, limits: HTTPLimits) {
        self.head = head
        decoder = BodyDecoder(head.body, limits: limits)
    }
}
