// StorehouseServer
