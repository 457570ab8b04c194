/// The groups, in the order they are measured.
let allGroups: [Group] = [.read, .stream]
