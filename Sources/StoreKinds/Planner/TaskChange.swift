/// What an edit changes of a task; nil leaves a part as it is.
package struct TaskChange: Sendable, Equatable {
    package var title: String?
    /// The new day; nil inside removes the day that was.
    package var due: String??
    package var isDone: Bool?

    package init(title: String? = nil, due: String?? = nil, isDone: Bool? = nil) {
        self.title = title
        self.due = due
        self.isDone = isDone
    }

    func apply(to task: inout PlannedTask) {
        if let title { task.title = title }
        if let due { task.due = due }
        if let isDone { task.isDone = isDone }
    }
}
