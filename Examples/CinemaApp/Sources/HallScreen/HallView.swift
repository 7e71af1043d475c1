#if canImport(SwiftUI)
    import RemoteStoreTesting
    public import SeatsKind
    public import StorehouseClient
    public import SwiftUI

    public struct HallView: View {
        @State private var store: RemoteStore<Seats>

        public init(_ store: @autoclosure @escaping () -> RemoteStore<Seats>) { _store = State(initialValue: store()) }

        public var body: some View {
            List(store.guests, id: \.self) { Text($0) }
                .opacity(store.connection.isStale ? 0.6 : 1)
            Button("Book") { store.send(book("Ada")) }.disabled(store.isBooking("Ada"))
            if let refusal = store.refusal { Text(refusal) }
        }
    }

    #if DEBUG
        struct HallView_Previews: PreviewProvider {
            static var previews: some View { HallView(.preview(seats, Seats(guests: ["Ada", "Bob"]))) }
        }
    #endif
#endif
