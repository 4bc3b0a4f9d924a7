// A download over QUIC by quic-go: `zoo-quic-go server PORT`, `zoo-quic-go client HOST PORT BYTES`.
// The client asks for a number of bytes on a stream of its own, and reads them to the end.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/qlog"
)

const protocol = "acklab-zoo"

func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(1000 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	must(err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// configuration is the library's own; with QLOGDIR each connection leaves a log there.
func configuration() *quic.Config {
	return &quic.Config{Tracer: qlog.DefaultConnectionTracer}
}

func server(port string) {
	security := &tls.Config{Certificates: []tls.Certificate{certificate()}, NextProtos: []string{protocol}}
	listener, err := quic.ListenAddr(":"+port, security, configuration())
	must(err)
	for {
		connection, err := listener.Accept(context.Background())
		must(err)
		go func() {
			for {
				stream, err := connection.AcceptStream(context.Background())
				if err != nil {
					return
				}
				go answer(stream)
			}
		}()
	}
}

func answer(stream *quic.Stream) {
	asked, err := io.ReadAll(stream)
	if err != nil {
		return
	}
	left, err := strconv.Atoi(strings.TrimSpace(string(asked)))
	must(err)
	piece := make([]byte, 1<<16)
	for left > 0 {
		n := min(left, len(piece))
		if _, err := stream.Write(piece[:n]); err != nil {
			return
		}
		left -= n
	}
	stream.Close()
}

func client(host, port, size string) {
	begin := time.Now()
	security := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}}
	connection, err := quic.DialAddr(context.Background(), host+":"+port, security, configuration())
	must(err)
	stream, err := connection.OpenStreamSync(context.Background())
	must(err)
	_, err = stream.Write([]byte(size))
	must(err)
	must(stream.Close())
	got, err := io.Copy(io.Discard, stream)
	must(err)
	fmt.Printf("%d bytes in %.9f s\n", got, time.Since(begin).Seconds())
	must(connection.CloseWithError(0, ""))
	<-connection.Context().Done()
	time.Sleep(50 * time.Millisecond) // the log is written meanwhile
}

func main() {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "server":
		server(os.Args[2])
	case len(os.Args) == 5 && os.Args[1] == "client":
		client(os.Args[2], os.Args[3], os.Args[4])
	default:
		fmt.Fprintln(os.Stderr, "usage: zoo-quic-go server PORT | client HOST PORT BYTES")
		os.Exit(2)
	}
}
