public import Stores

/// A task.
public struct TaskItem: Identifiable, Sendable, Equatable {
    /// Its number.
    public let id: Int
    /// The task in words.
    public var title: String

    /// A task.
    public init(id: Int, title: String) {
        self.id = id
        self.title = title
    }
}

/// Tasks, each stored once, and the ids of the favourites.
public struct TaskList: Sendable, Equatable {
    /// All tasks, in order, found by id in constant time.
    @Tracked public var tasks = EntityTable<TaskItem>()
    /// The ids of the favourites, in order.
    public var favourites: [TaskItem.ID] = []
    /// How many tasks are shown at once.
    public var pageSize = 20

    /// No tasks.
    public init() {}

    /// The favourite tasks, read by their ids: an edited task is the same one in both lists.
    public var favouriteTasks: [TaskItem] { favourites.compactMap { tasks[$0] } }
}

/// The actions of the list.
public enum TaskListAction: Sendable {
    case add(TaskItem)
    case rename(TaskItem.ID, String)
    case setFavourite(TaskItem.ID, Bool)
    case setPageSize(Int)
}

/// The rules of the list.
public let taskListReducer = Reduce<TaskList, TaskListAction> { list, action in
    switch action {
    case .add(let task): list.tasks.insert(task)
    case .rename(let id, let title): list.tasks.update(id) { $0.title = title }
    case .setFavourite(let id, let isFavourite):
        list.favourites.removeAll { $0 == id }
        if isFavourite, list.tasks.contains(id) { list.favourites.append(id) }
    case .setPageSize(let size): list.pageSize = size
    }
}
