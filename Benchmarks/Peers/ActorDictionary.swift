/// Settings in a dictionary that an actor guards.
actor ActorDictionary {
    private let values: [String: Int]

    init(_ values: [String: Int]) { self.values = values }

    func value(_ name: String) -> Int { values[name] ?? 0 }
}
