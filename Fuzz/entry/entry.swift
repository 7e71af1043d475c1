import FuzzProperties
import Glibc

/// What `FUZZ_TARGET` names.
private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("FUZZ_TARGET is none of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
}()

/// What libFuzzer calls with one input after the other. A property that does not hold ends the process.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    if let finding = target.finding(in: Array(UnsafeBufferPointer(start: start, count: count))) {
        fatalError(finding)
    }
    return 0
}
