print("rheostat")
