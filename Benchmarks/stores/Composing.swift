import Stores

/// Measures a composed reducer of one slice and of ten. The action belongs to the last slice.
func measureSlices(_ stopwatch: Stopwatch) -> Numbers {
    var numbers: Numbers = [:]
    numbers["one"] = nanoseconds(stopwatch, Compose { TenSlices.j })
    numbers["ten"] = nanoseconds(stopwatch, TenSlices.all)
    numbers["combinedOne"] = nanoseconds(stopwatch, combine(TenSlices.j))
    numbers["combinedTen"] = nanoseconds(
        stopwatch,
        combine(
            TenSlices.a, TenSlices.b, TenSlices.c, TenSlices.d, TenSlices.e, TenSlices.f, TenSlices.g, TenSlices.h,
            TenSlices.i, TenSlices.j))
    numbers["slice"] = (numbers["ten"] - numbers["one"]) / 9
    numbers["combinedSlice"] = (numbers["combinedTen"] - numbers["combinedOne"]) / 9
    return numbers
}

private func nanoseconds(_ stopwatch: Stopwatch, _ reducer: some Reducer<TenState, TenAction>) -> Double {
    let store = Store(TenState(), reducer: reducer)
    let nanoseconds = stopwatch.nanoseconds { times in
        for _ in 0..<times { store.dispatch(.j(.increment(by: 1))) }
    }
    precondition(store.state.j.count == store.revision, "a dispatch was lost")
    return nanoseconds
}
