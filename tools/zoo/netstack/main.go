// A download over TCP by gVisor's netstack: `zoo-netstack server PORT`, `zoo-netstack client HOST PORT REQUEST`.
//
// The client sends its request (../common/request) as a line, and reads the answer to the end. Netstack has the node's address. It reads and
// writes IP packets at a raw socket, and the kernel is kept from answering them.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"acklab/zoo/common/request"
	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/channel"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
)

const (
	card       = 1
	clientPort = 49152
	packet     = 1500
	room       = 4 << 20
)

// raw is a card that sends by a raw socket.
type raw struct {
	*channel.Endpoint
	socket int
}

// WritePackets sends each packet at once.
func (r *raw) WritePackets(packets stack.PacketBufferList) (int, tcpip.Error) {
	for _, one := range packets.AsSlice() {
		view := one.ToView()
		octets := view.AsSlice()
		to := &unix.SockaddrInet4{Addr: [4]byte(octets[16:20])}
		request.Must(unix.Sendto(r.socket, octets, 0, to))
		view.Release()
	}
	return packets.Len(), nil
}

func rawSocket(flags int) int {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|flags, unix.IPPROTO_TCP)
	request.Must(err)
	request.Must(unix.SetsockoptInt(socket, unix.IPPROTO_IP, unix.IP_HDRINCL, 1))
	request.Must(unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, room))
	return socket
}

// silence keeps the kernel from answering what comes to a port: it listens there, and a filter drops all.
func silence(port uint16) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	request.Must(err)
	filter := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: 0}}
	request.Must(unix.SetsockoptSockFprog(socket, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &filter[0]}))
	request.Must(unix.Bind(socket, &unix.SockaddrInet4{Port: int(port)}))
	request.Must(unix.Listen(socket, 1))
}

func must(err tcpip.Error) {
	if err != nil {
		request.Must(fmt.Errorf("%s", err))
	}
}

// own is the node's address.
func own() tcpip.Address {
	card, err := net.InterfaceByName("eth0")
	request.Must(err)
	addresses, err := card.Addrs()
	request.Must(err)
	for _, one := range addresses {
		if found, ok := one.(*net.IPNet); ok && found.IP.To4() != nil {
			return tcpip.AddrFrom4Slice(found.IP.To4())
		}
	}
	request.Must(fmt.Errorf("the card has no address"))
	panic("unreachable")
}

// network is the library's own stack, with the node's address.
func network(address tcpip.Address, port uint16) *stack.Stack {
	made := stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol},
	})
	at := &raw{channel.New(1, packet, ""), rawSocket(0)}
	must(made.CreateNIC(card, at))
	with := tcpip.AddressWithPrefix{Address: address, PrefixLen: 8}
	must(made.AddProtocolAddress(card, tcpip.ProtocolAddress{Protocol: ipv4.ProtocolNumber, AddressWithPrefix: with}, stack.AddressProperties{}))
	made.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, NIC: card}})
	come := os.NewFile(uintptr(rawSocket(unix.SOCK_NONBLOCK)), "packets")
	silence(port)
	go func() {
		octets := make([]byte, 1<<16)
		for {
			size, err := come.Read(octets)
			request.Must(err)
			one := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(append([]byte(nil), octets[:size]...))})
			at.InjectInbound(ipv4.ProtocolNumber, one)
			one.DecRef()
		}
	}()
	return made
}

func server(port uint16) {
	address := own()
	listener, err := gonet.ListenTCP(network(address, port), tcpip.FullAddress{Addr: address, Port: port}, ipv4.ProtocolNumber)
	request.Must(err)
	for {
		connection, err := listener.Accept()
		request.Must(err)
		go answer(connection)
	}
}

func answer(connection net.Conn) {
	defer connection.Close()
	asked := make([]byte, 64)
	size, err := connection.Read(asked)
	request.Must(err)
	left, piece, pause := request.Read(strings.TrimSpace(string(asked[:size])))
	for left > 0 {
		n := min(left, piece)
		_, err := connection.Write(make([]byte, n))
		request.Must(err)
		left -= n
		time.Sleep(pause)
	}
}

func client(host string, port uint16, asked string) {
	begin := time.Now()
	address := own()
	to := tcpip.FullAddress{Addr: tcpip.AddrFrom4Slice(net.ParseIP(host).To4()), Port: port}
	from := tcpip.FullAddress{Addr: address, Port: clientPort}
	connection, err := gonet.DialTCPWithBind(context.Background(), network(address, clientPort), from, to, ipv4.ProtocolNumber)
	request.Must(err)
	_, err = io.WriteString(connection, asked+"\n")
	request.Must(err)
	got, err := io.Copy(io.Discard, connection)
	request.Must(err)
	fmt.Printf("%d bytes in %.9f s\n", got, time.Since(begin).Seconds())
}

func number(text string) uint16 {
	found, err := strconv.ParseUint(text, 10, 16)
	request.Must(err)
	return uint16(found)
}

func main() {
	words := os.Args[1:]
	switch {
	case len(words) == 2 && words[0] == "server":
		server(number(words[1]))
	case len(words) == 4 && words[0] == "client":
		client(words[1], number(words[2]), words[3])
	default:
		request.Must(fmt.Errorf("usage: zoo-netstack server PORT | client HOST PORT REQUEST"))
	}
}
