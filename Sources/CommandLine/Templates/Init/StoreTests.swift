import Storehouse
import StoresTesting
import Testing

@testable import my_hall

@Test func theDefinitionHasNoMistakes() {
    #expect(myHall.kind.problems.isEmpty)
}

@Test func theFourthGuestIsRejected() throws {
    let store = TestStore(MyHallState(), reducer: myHall.reducer)
    for guest in ["Ada", "Grace", "Edsger"] {
        try store.dispatch(book(guest)) { $0.guests.append(guest) }
    }
    try store.expectRejected(book("Alan"), "sold-out")
    try store.finish()
}
