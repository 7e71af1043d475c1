// A state writes itself as JSON and a schema is made of it: who imports Stores has the words for both.
@_exported public import JSON
