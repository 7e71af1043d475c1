// Whoever connects a store has its kind, and sends actions of it, or JSON.
@_exported public import StoreHosting
