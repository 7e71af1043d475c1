// The names of other modules that a definition needs, so that its file imports this module alone. A reducer that is written by hand
// needs `import Stores` too.
@_exported public import RemoteServices

@_exported public import enum JSON.JSONValue
@_exported public import struct Stores.Actor
@_exported public import struct Stores.ActorID
@_exported public import struct Stores.Commit
@_exported public import struct Stores.Effect
@_exported public import struct Stores.EffectID
@_exported public import enum Stores.EffectPolicy
@_exported public import struct Stores.EntityTable
@_exported public import enum Stores.Interception
@_exported public import protocol Stores.Interceptor
@_exported public import struct Stores.Invariant
@_exported public import protocol Stores.Middleware
@_exported public import struct Stores.Rejection
@_exported public import struct Stores.StateTimer
@_exported public import protocol Stores.StoreClock
@_exported public import struct Stores.SystemClock
@_exported public import struct Stores.Timers
@_exported public import struct Stores.Tracked
