// StoresTesting
