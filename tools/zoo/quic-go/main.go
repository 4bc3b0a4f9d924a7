// A download over QUIC by quic-go: `zoo-quic-go server PORT`, `zoo-quic-go client HOST PORT REQUEST`.
// The client sends its request (../common/request) on a stream of its own, and reads the answer to the end.
package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"os"
	"time"

	"acklab/zoo/common/request"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/qlog"
)

const protocol = "acklab-zoo"

// configuration is the library's own; with QLOGDIR each connection leaves a log there.
func configuration() *quic.Config {
	return &quic.Config{Tracer: qlog.DefaultConnectionTracer}
}

func server(port string) {
	security := &tls.Config{Certificates: []tls.Certificate{request.Certificate()}, NextProtos: []string{protocol}}
	listener, err := quic.ListenAddr(":"+port, security, configuration())
	request.Must(err)
	for {
		connection, err := listener.Accept(context.Background())
		request.Must(err)
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
	left, piece, pause := request.Read(string(asked))
	for left > 0 {
		n := min(left, piece)
		if _, err := stream.Write(make([]byte, n)); err != nil {
			return
		}
		left -= n
		time.Sleep(pause)
	}
	stream.Close()
}

func client(host, port, size string) {
	begin := time.Now()
	security := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}}
	connection, err := quic.DialAddr(context.Background(), host+":"+port, security, configuration())
	request.Must(err)
	stream, err := connection.OpenStreamSync(context.Background())
	request.Must(err)
	_, err = stream.Write([]byte(size))
	request.Must(err)
	request.Must(stream.Close())
	got, err := io.Copy(io.Discard, stream)
	request.Must(err)
	fmt.Printf("%d bytes in %.9f s\n", got, time.Since(begin).Seconds())
	request.Must(connection.CloseWithError(0, ""))
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
		fmt.Fprintln(os.Stderr, "usage: zoo-quic-go server PORT | client HOST PORT REQUEST")
		os.Exit(2)
	}
}
