/// How many letters must be inserted, removed or changed to make one word of the other (Levenshtein).
///
/// Only the first 64 bytes count, so that a long word from outside costs no more than a short one.
package func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8.prefix(64))
    let right = Array(right.utf8.prefix(64))
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in right.enumerated() {
            let change = diagonal + (a == b ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[right.count]
}
