module storehouse/benchmarks/peer

go 1.19
