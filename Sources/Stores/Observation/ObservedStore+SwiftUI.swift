#if canImport(SwiftUI)
    public import SwiftUI

    extension ObservedStore {
        /// A binding to one member. A value that the view sets is sent as an action, and the reducer decides.
        ///
        ///     TextField("Username", text: login.binding(\.username, LoginAction.username))
        ///
        /// - Parameters:
        ///   - member: the member that the view shows.
        ///   - action: makes an action of a new value.
        public func binding<Value: Equatable>(
            _ member: KeyPath<State, Value>, _ action: @escaping @MainActor (Value) -> Action
        ) -> Binding<Value> {
            Binding {
                self[dynamicMember: member]
            } set: {
                self.send(action($0))
            }
        }
    }
#endif
