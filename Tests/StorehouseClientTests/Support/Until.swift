/// Waits until something is true, while all other tasks of the main actor run.
@MainActor
func until(_ isTrue: () -> Bool) async {
    while !isTrue() { await Task.yield() }
}
