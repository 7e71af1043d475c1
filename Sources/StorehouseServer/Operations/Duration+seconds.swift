extension Duration {
    /// The length in seconds, exact to the microsecond.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return (Double(seconds) * 1e6 + Double(attoseconds / 1_000_000_000_000)) / 1e6
    }
}
