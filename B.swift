import A
final class Sub: Base { override func send(_ f: F) { print("x") } ; override var d: Int { 1 } }
let s: Base = Sub(); s.send(F())
