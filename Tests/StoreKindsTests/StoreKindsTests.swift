// StoreKinds
