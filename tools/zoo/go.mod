module acklab/zoo

go 1.26.0

require (
	github.com/quic-go/quic-go v0.65.0
	golang.org/x/net v0.62.0
	golang.org/x/sys v0.49.0
	gvisor.dev/gvisor v0.0.0-20250503011706-39ed1f5ac29c
)

require (
	github.com/google/btree v1.1.2 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/time v0.7.0 // indirect
)
