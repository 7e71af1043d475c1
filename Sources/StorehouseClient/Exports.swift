// A program that connects a store needs the kind and its actions, or JSON.
@_exported public import StoreHosting
