import Observability

extension Forwarder {
    /// - Parameter residents: how many sessions are in memory.
    func write(into text: inout PrometheusWriter, residents: Int) {
        text.gauge(
            "storehouse_cluster_sessions_owned",
            "Sessions of this node that are in memory. Those that it owns in storage only are not counted.", residents)
        text.counter(
            "storehouse_cluster_forwarded_requests_total",
            "Requests that were sent to the nodes that have their sessions.", count)
        text.counter(
            "storehouse_cluster_joined_streams_total",
            "Streams of other nodes' sessions that share their events with other streams of this node.",
            followerCount)
    }
}

extension SessionTransfer {
    func write(into text: inout PrometheusWriter) {
        text.counter(
            "storehouse_cluster_handovers_total",
            "Sessions that were handed over to the nodes that forwarded the requests for them.", count)
    }
}
