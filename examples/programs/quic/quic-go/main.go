// A server and a client of QUIC by quic-go, for runs over acklab's paths.
//
// quic-go serve ADDRESS: answers each stream's eight bytes, a number, with so many bytes.
// quic-go fetch ADDRESS BYTES: asks for so many, and prints how many came and how long that took, handshake included.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"math/big"
	"os"
	"strconv"
	"time"

	"github.com/quic-go/quic-go"
)

const protocol = "acklab-bytes"

// Nobody checks it: the network between the two is simulated.
func certificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	about := x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, &about, &about, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, err
}

func answer(stream *quic.Stream) error {
	defer stream.Close()
	var asked [8]byte
	if _, err := io.ReadFull(stream, asked[:]); err != nil {
		return err
	}
	block := make([]byte, 1<<16)
	for left := binary.BigEndian.Uint64(asked[:]); left > 0; {
		n, err := stream.Write(block[:min(left, uint64(len(block)))])
		if err != nil {
			return err
		}
		left -= uint64(n)
	}
	return nil
}

func serve(address string) error {
	own, err := certificate()
	if err != nil {
		return err
	}
	listener, err := quic.ListenAddr(address, &tls.Config{Certificates: []tls.Certificate{own}, NextProtos: []string{protocol}}, nil)
	if err != nil {
		return err
	}
	for {
		connection, err := listener.Accept(context.Background())
		if err != nil {
			return err
		}
		go func() {
			for {
				stream, err := connection.AcceptStream(context.Background())
				if err != nil {
					return
				}
				if err := answer(stream); err != nil {
					log.Print(err)
				}
			}
		}()
	}
}

func fetch(address string, bytes uint64) error {
	began := time.Now()
	config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}}
	connection, err := quic.DialAddr(context.Background(), address, config, nil)
	if err != nil {
		return err
	}
	stream, err := connection.OpenStreamSync(context.Background())
	if err != nil {
		return err
	}
	if _, err := stream.Write(binary.BigEndian.AppendUint64(nil, bytes)); err != nil {
		return err
	}
	stream.Close()
	came, err := io.Copy(io.Discard, stream)
	if err != nil {
		return err
	}
	fmt.Printf("%d bytes in %.6f s\n", came, time.Since(began).Seconds())
	return connection.CloseWithError(0, "")
}

func main() {
	var err error
	switch words := os.Args[1:]; {
	case len(words) == 2 && words[0] == "serve":
		err = serve(words[1])
	case len(words) == 3 && words[0] == "fetch":
		var bytes uint64
		if bytes, err = strconv.ParseUint(words[2], 10, 40); err == nil {
			err = fetch(words[1], bytes)
		}
	default:
		err = fmt.Errorf("usage: quic-go serve ADDRESS, or quic-go fetch ADDRESS BYTES")
	}
	if err != nil {
		log.Fatal(err)
	}
}
