// A download over QUIC by golang.org/x/net/quic: `zoo-x-net server PORT`, `zoo-x-net client HOST PORT REQUEST`.
// The client sends its request (../common/request) on a stream of its own, and reads the answer to the end.
package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"acklab/zoo/common/request"
	"golang.org/x/net/quic"
	"golang.org/x/net/quic/qlog"
)

const protocol = "acklab-zoo"

// configuration is the library's own; with QLOGDIR each connection leaves a log there. The library wants TLS 1.3 to be asked for.
func configuration(security *tls.Config) *quic.Config {
	security.MinVersion, security.NextProtos = tls.VersionTLS13, []string{protocol}
	config := &quic.Config{TLSConfig: security}
	if place := os.Getenv("QLOGDIR"); place != "" {
		config.QLogLogger = slog.New(qlog.NewJSONHandler(qlog.HandlerOptions{Dir: place}))
	}
	return config
}

func server(port string) {
	config := configuration(&tls.Config{Certificates: []tls.Certificate{request.Certificate()}})
	endpoint, err := quic.Listen("udp", "0.0.0.0:"+port, config)
	request.Must(err)
	for {
		connection, err := endpoint.Accept(context.Background())
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
		if pause > 0 {
			stream.Flush()
			time.Sleep(pause)
		}
	}
	stream.Close()
}

func client(host, port, asked string) {
	begin := time.Now()
	config := configuration(&tls.Config{InsecureSkipVerify: true})
	endpoint, err := quic.Listen("udp", "0.0.0.0:0", nil)
	request.Must(err)
	connection, err := endpoint.Dial(context.Background(), "udp", host+":"+port, config)
	request.Must(err)
	stream, err := connection.NewStream(context.Background())
	request.Must(err)
	_, err = stream.Write([]byte(asked))
	request.Must(err)
	stream.CloseWrite()
	got, err := io.Copy(io.Discard, stream)
	request.Must(err)
	fmt.Printf("%d bytes in %.9f s\n", got, time.Since(begin).Seconds())
	connection.Abort(nil)
	short, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	endpoint.Close(short)
}

func main() {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "server":
		server(os.Args[2])
	case len(os.Args) == 5 && os.Args[1] == "client":
		client(os.Args[2], os.Args[3], os.Args[4])
	default:
		fmt.Fprintln(os.Stderr, "usage: zoo-x-net server PORT | client HOST PORT REQUEST")
		os.Exit(2)
	}
}
