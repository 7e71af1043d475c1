print("storehouse")
