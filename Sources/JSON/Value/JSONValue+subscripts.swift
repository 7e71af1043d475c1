extension JSONValue {
    /// The value of a member; nil if there is no such member, or if this value is not an object.
    ///
    ///     state["hall"]["seats"] = 100
    ///     state["oldName"] = nil
    ///
    /// Setting a new name appends it at the end. Setting nil removes the member, and `.null` sets it to `null`. A value that is no object
    /// becomes one when a member of it is set. Members are changed in place: a change copies nothing of what is around it.
    public subscript(name: String) -> JSONValue? {
        get { asObject?[name] }
        _modify {
            // The object is taken out of this value, so that it has one owner and is not copied.
            var object = JSONObject()
            var isObject = false
            if case .object(let members) = self {
                (object, isObject) = (members, true)
                self = .null
            }
            defer { if isObject || !object.isEmpty { self = .object(object) } }
            yield &object[name]
        }
    }

    /// The element at an index, from 0; nil if there is none, or if this value is not an array.
    ///
    ///     state["halls"][0]["name"] = "Blue"
    ///
    /// Setting the element behind the last one appends it. A value that is no array becomes one when its first element is set. Setting
    /// an element that is further away changes nothing. Setting nil removes the element, and `.null` sets it to `null`. Elements are
    /// changed in place.
    public subscript(index: Int) -> JSONValue? {
        get {
            guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
            return elements[index]
        }
        _modify {
            var array: [JSONValue] = []
            var isArray = false
            if case .array(let elements) = self {
                (array, isArray) = (elements, true)
                self = .null
            }
            var element: JSONValue?
            let isThere = array.indices.contains(index)
            if isThere {
                var taken = JSONValue.null
                swap(&array[index], &taken)
                element = consume taken
            }
            defer {
                array.replace(at: index, isThere: isThere, with: element.take())
                if isArray || !array.isEmpty { self = .array(array) }
            }
            yield &element
        }
    }
}

extension [JSONValue] {
    /// - Parameter element: nil to remove the element at the index.
    fileprivate mutating func replace(at index: Int, isThere: Bool, with element: consuming JSONValue?) {
        switch element {
        case let element? where isThere: self[index] = element
        case let element? where index == count: append(element)
        case nil where isThere: remove(at: index)
        default: break
        }
    }
}

// So that a path needs no question marks: `state["hall"]["seats"]`.
extension JSONValue? {
    /// The value of a member; nil if there is none. Setting it makes an object of a value that is missing.
    public subscript(name: String) -> JSONValue? {
        get { self?[name] }
        _modify {
            let isMissing = self == nil
            var value = take() ?? .null
            defer { if !isMissing || !value.isNull { self = .some(value) } }
            yield &value[name]
        }
    }

    /// The element at an index, from 0; nil if there is none. Setting the first one makes an array of a value that is missing.
    public subscript(index: Int) -> JSONValue? {
        get { self?[index] }
        _modify {
            let isMissing = self == nil
            var value = take() ?? .null
            defer { if !isMissing || !value.isNull { self = .some(value) } }
            yield &value[index]
        }
    }
}
