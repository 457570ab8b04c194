print("HotReload")
