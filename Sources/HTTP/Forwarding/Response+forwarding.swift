// A response as it travels from the server that has made it to the one that the client talks to.
extension Response {
    /// The status and the fields. The body travels behind them.
    package var forwardedHead: [UInt8] {
        var message = MessageWriter(reservingCapacity: 256)
        message.add(status.rawValue)
        for field in fields {
            message.add(field.name)
            message.add(field.value)
        }
        if let revision {
            message.add("ETag")
            message.add("\"\(revision.revision)\(revision.history.isEmpty ? "" : ".\(revision.history)")\"")
        }
        return message.bytes
    }

    /// The response that another server has made; nil if it is none.
    package init?(forwardedHead bytes: UnsafeRawBufferPointer, body: [UInt8] = []) {
        var message = MessageReader(bytes)
        do throws(MessageReader.Malformed) {
            guard let status = HTTPStatus(rawValue: try message.number()), status.rawValue >= 200 else { return nil }
            var fields: [Field] = []
            fields.reserveCapacity(8)
            while !message.isAtEnd {
                let name = message.string(try message.name())
                fields.append(Field(name, message.string(try message.text())))
            }
            self.init(status, fields: fields, body: body)
        } catch {
            return nil
        }
    }

    /// A field between two servers, which no client gets.
    static let actorField = "Storehouse-Actor"

    /// Names the sender of the request for the log of the server that has forwarded it.
    ///
    /// - Parameter actor: only visible ASCII.
    package mutating func name(actor: String) { fields.append(Field(Self.actorField, actor)) }

    /// Removes the name of the sender, and returns it; nil if there is none.
    package mutating func takeActor() -> String? {
        guard let index = fields.lastIndex(where: { $0.name == Self.actorField }) else { return nil }
        return fields.remove(at: index).value
    }
}
