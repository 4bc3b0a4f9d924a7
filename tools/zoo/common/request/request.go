// Package request is what the Go programs share: what a client asks of a server, and a certificate.
package request

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
	"time"
)

// Read takes `BYTES`, or `BYTES/PIECE/MS`, which is written in pieces with a pause after each.
func Read(text string) (left, piece int, pause time.Duration) {
	words := strings.Split(text, "/")
	if len(words) != 1 && len(words) != 3 {
		Must(fmt.Errorf("%q is no request", text))
	}
	numbers := []int{0, 1 << 16, 0}
	for i, word := range words {
		number, err := strconv.Atoi(word)
		Must(err)
		numbers[i] = number
	}
	return numbers[0], numbers[1], time.Duration(numbers[2]) * time.Millisecond
}

// Certificate makes one that nobody checks.
func Certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Must(err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(1000 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	Must(err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// Must ends the program if there is an error.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
