// One bulk TCP transfer S -> G -> R in ns-3, with the lost packets named one by one.
//
// Data segments (payload > 0) are counted from 0 as they are offered to the link G->R, retransmissions
// included; pure ACKs (no payload, no SYN) are counted from 0 as they are offered to the link R->G.
// A listed packet vanishes before the queue, so it takes no time on the link. Nothing else is ever lost.
// The last ACK ends the run: the connection is never closed, so there is no FIN to lose.
//
// Prints one JSON object on one line; see README.md for its fields.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>

using namespace ns3;

namespace
{

std::set<uint32_t>
ParseList(const std::string& text)
{
    std::set<uint32_t> numbers;
    std::stringstream stream(text);
    for (uint32_t n; stream >> n; stream.ignore())
    {
        numbers.insert(n);
    }
    return numbers;
}

/// What one packet on a wire is, seen through its headers.
struct Glimpse
{
    TcpHeader tcp;
    uint32_t payload;

    explicit Glimpse(Ptr<const Packet> frame)
    {
        Ptr<Packet> packet = frame->Copy();
        PppHeader ppp;
        Ipv4Header ip;
        packet->RemoveHeader(ppp);
        packet->RemoveHeader(ip);
        packet->RemoveHeader(tcp);
        payload = packet->GetSize();
    }

    bool IsData() const
    {
        return payload > 0;
    }

    bool IsAck() const
    {
        return payload == 0 && !(tcp.GetFlags() & TcpHeader::SYN);
    }
};

/// A list of rows, each a list of numbers, as JSON.
class Rows
{
  public:
    void Add(std::initializer_list<uint64_t> row)
    {
        m_text << (m_count++ ? "," : "") << "[";
        const char* comma = "";
        for (auto number : row)
        {
            m_text << comma << number;
            comma = ",";
        }
        m_text << "]";
    }

    uint32_t Count() const
    {
        return m_count;
    }

    std::string Json() const
    {
        return "[" + m_text.str() + "]";
    }

  private:
    std::ostringstream m_text;
    uint32_t m_count{0};
};

/// A device queue that loses the packets it was told to lose.
class LossyQueue : public DropTailQueue<Packet>
{
  public:
    LossyQueue(bool data, std::set<uint32_t> lost)
        : m_data(data),
          m_lost(std::move(lost))
    {
    }

    bool Enqueue(Ptr<Packet> frame) override
    {
        Glimpse seen(frame);
        bool counts = m_data ? seen.IsData() : seen.IsAck();
        uint32_t number = offered;
        offered += counts;
        if (!counts || !m_lost.count(number))
        {
            return DropTailQueue<Packet>::Enqueue(frame);
        }
        // The initial sequence number is 0 in ns-3, so data starts at 1.
        if (m_data)
        {
            drops.Add({number, seen.tcp.GetSequenceNumber().GetValue() - 1, seen.payload});
        }
        else
        {
            drops.Add({number, seen.tcp.GetAckNumber().GetValue() - 1});
        }
        return false;
    }

    uint32_t offered{0};
    Rows drops;

  private:
    bool m_data;
    std::set<uint32_t> m_lost;
};

/// The receiving application: reads whatever arrives, at once, so the receive window never closes.
class Receiver
{
  public:
    Receiver(Ptr<Node> node, uint16_t port)
        : m_listener(Socket::CreateSocket(node, TcpSocketFactory::GetTypeId()))
    {
        m_listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        m_listener->Listen();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&Receiver::OnAccept, this));
    }

    uint64_t received{0};
    Time last;

  private:
    void OnAccept(Ptr<Socket> socket, const Address&)
    {
        socket->SetRecvCallback(MakeCallback(&Receiver::OnData, this));
    }

    void OnData(Ptr<Socket> socket)
    {
        while (auto packet = socket->Recv())
        {
            received += packet->GetSize();
            last = Simulator::Now();
        }
    }

    Ptr<Socket> m_listener;
};

/// The sending application and everything measured at the sender's socket.
class Sender
{
  public:
    Sender(Ptr<Node> node, uint64_t bytes)
        : m_bytes(bytes),
          m_socket(Socket::CreateSocket(node, TcpSocketFactory::GetTypeId()))
    {
        m_socket->TraceConnectWithoutContext("Tx", MakeCallback(&Sender::OnTransmit, this));
        m_socket->TraceConnectWithoutContext("RTO", MakeCallback(&Sender::OnRto, this));
        m_socket->TraceConnectWithoutContext("CongState", MakeCallback(&Sender::OnState, this));
        m_socket->TraceConnectWithoutContext("HighestRxAck", MakeCallback(&Sender::OnAck, this));
        m_socket->TraceConnectWithoutContext("CongestionWindow", MakeCallback(&Sender::OnWindow, this));
        m_socket->TraceConnectWithoutContext("SlowStartThreshold", MakeCallback(&Sender::OnSsthresh, this));
    }

    void Start(Address to)
    {
        m_socket->SetConnectCallback(MakeCallback(&Sender::OnConnected, this),
                                     MakeNullCallback<void, Ptr<Socket>>());
        m_socket->Connect(to);
    }

    uint32_t segments{0};
    uint64_t retransmittedBytes{0};
    Rows retransmits;
    uint32_t timeouts{0};
    uint32_t recoveries{0};
    Time first;
    Time finished;
    bool verbose{false};

  private:
    void OnConnected(Ptr<Socket> socket)
    {
        // TcpSocketBase joins what it is given into segments, so the size of these writes does not matter.
        for (uint64_t left = m_bytes; left > 0;)
        {
            auto piece = static_cast<uint32_t>(std::min<uint64_t>(left, 1 << 16));
            NS_ABORT_MSG_IF(socket->Send(Create<Packet>(piece)) < 0, "the send buffer is too small");
            left -= piece;
        }
    }

    void OnTransmit(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        if (packet->GetSize() == 0)
        {
            return;
        }
        uint64_t offset = header.GetSequenceNumber().GetValue() - 1;
        Log("send", offset, packet->GetSize());
        if (segments++ == 0)
        {
            first = Simulator::Now();
        }
        if (offset < m_sent)
        {
            retransmits.Add({offset, packet->GetSize()});
            retransmittedBytes += packet->GetSize();
        }
        m_sent = std::max<uint64_t>(m_sent, offset + packet->GetSize());
    }

    /// ns-3 has no trace of an expired timer, but only an expired timer doubles the timeout.
    void OnRto(Time before, Time after)
    {
        timeouts += segments > 0 && after == Min(before + before, Seconds(60));
    }

    void OnState(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
    {
        recoveries += now == TcpSocketState::CA_RECOVERY;
        Log("state", now);
    }

    void OnAck(SequenceNumber32, SequenceNumber32 ack)
    {
        Log("acked", ack.GetValue() - 1);
        if (ack.GetValue() == m_bytes + 1)
        {
            finished = Simulator::Now();
            Simulator::Stop();
        }
    }

    void OnWindow(uint32_t, uint32_t now)
    {
        Log("cwnd", now);
    }

    void OnSsthresh(uint32_t, uint32_t now)
    {
        Log("ssthresh", now);
    }

    template <typename... Numbers>
    void Log(const char* what, Numbers... numbers) const
    {
        if (verbose)
        {
            std::cerr << std::fixed << std::setprecision(6) << Simulator::Now().GetSeconds() << " " << what;
            ((std::cerr << " " << numbers), ...);
            std::cerr << "\n";
        }
    }

    uint64_t m_bytes;
    Ptr<Socket> m_socket;
    uint64_t m_sent{0};
};

} // namespace

int
main(int argc, char* argv[])
{
    std::string id = "case";
    std::string recovery = "sack";
    std::string control = "linux-reno";
    std::string loseText;
    std::string loseAcksText;
    std::string access = "100Mbps";
    std::string accessDelay = "1ms";
    std::string rate = "10Mbps";
    std::string delay = "20ms";
    uint32_t segments = 100;
    uint32_t payload = 1460;
    uint32_t initialWindow = 10;
    uint32_t ackEvery = 1;
    double ackTimer = 0.2;
    bool timestamps = false;
    bool limitedTransmit = true;
    bool verbose = false;

    CommandLine cmd(__FILE__);
    cmd.AddValue("id", "name of the case, echoed", id);
    cmd.AddValue("segments", "full segments to transfer", segments);
    cmd.AddValue("payload", "payload bytes of a segment (1448 goes with timestamps)", payload);
    cmd.AddValue("recovery", "sack | newreno (SACK off)", recovery);
    cmd.AddValue("control", "linux-reno | new-reno", control);
    cmd.AddValue("lose", "data segments to lose, as \"15,19\"", loseText);
    cmd.AddValue("lose-acks", "ACKs to lose, as \"3,4\"", loseAcksText);
    cmd.AddValue("access", "rate of S-G", access);
    cmd.AddValue("access-delay", "one-way delay of S-G", accessDelay);
    cmd.AddValue("rate", "rate of G-R", rate);
    cmd.AddValue("delay", "one-way delay of G-R", delay);
    cmd.AddValue("initial-window", "segments", initialWindow);
    cmd.AddValue("ack-every", "in-order segments to an ACK: 1, or 2 for delayed ACKs", ackEvery);
    cmd.AddValue("ack-timer", "delayed-ACK timer, seconds", ackTimer);
    cmd.AddValue("timestamps", "TCP timestamps", timestamps);
    cmd.AddValue("limited-transmit", "limited transmit (RFC 3042)", limitedTransmit);
    cmd.AddValue("verbose", "sender's log on standard error", verbose);
    cmd.Parse(argc, argv);

    NS_ABORT_MSG_UNLESS(recovery == "sack" || recovery == "newreno", "recovery: sack or newreno");
    NS_ABORT_MSG_UNLESS(control == "linux-reno" || control == "new-reno", "control: linux-reno or new-reno");
    uint64_t bytes = static_cast<uint64_t>(segments) * payload;

    auto set = [](const char* name, const AttributeValue& value) { Config::SetDefault(name, value); };
    set("ns3::TcpL4Protocol::SocketType",
        TypeIdValue(control == "linux-reno" ? TcpLinuxReno::GetTypeId() : TcpNewReno::GetTypeId()));
    set("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    set("ns3::TcpSocketBase::Sack", BooleanValue(recovery == "sack"));
    set("ns3::TcpSocketBase::Timestamp", BooleanValue(timestamps));
    set("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(limitedTransmit));
    set("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
    set("ns3::TcpSocketBase::ClockGranularity", TimeValue(MilliSeconds(1)));
    set("ns3::TcpSocket::SegmentSize", UintegerValue(payload));
    set("ns3::TcpSocket::InitialCwnd", UintegerValue(initialWindow));
    set("ns3::TcpSocket::DelAckCount", UintegerValue(ackEvery));
    set("ns3::TcpSocket::DelAckTimeout", TimeValue(Seconds(ackTimer)));
    set("ns3::TcpSocket::TcpNoDelay", BooleanValue(true));
    set("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 28));
    set("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 28));
    set("ns3::DropTailQueue<Packet>::MaxSize", StringValue("1000000p"));

    NodeContainer nodes(3);
    auto link = [&](uint32_t a, uint32_t b, const std::string& speed, const std::string& wait) {
        PointToPointHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue(speed));
        helper.SetChannelAttribute("Delay", StringValue(wait));
        return helper.Install(nodes.Get(a), nodes.Get(b));
    };
    NetDeviceContainer near = link(0, 1, access, accessDelay);
    NetDeviceContainer far = link(1, 2, rate, delay);

    auto lossy = [&](uint32_t end, bool data, const std::string& list) {
        auto queue = CreateObject<LossyQueue>(data, ParseList(list));
        DynamicCast<PointToPointNetDevice>(far.Get(end))->SetQueue(queue);
        return queue;
    };
    auto forward = lossy(0, true, loseText);
    auto back = lossy(1, false, loseAcksText);

    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.1.0", "255.255.255.0").Assign(near);
    auto addresses = Ipv4AddressHelper("10.0.2.0", "255.255.255.0").Assign(far);
    // Assign puts FQ-CoDel in front of each device; only the plain device queues are wanted.
    TrafficControlHelper().Uninstall(near);
    TrafficControlHelper().Uninstall(far);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    constexpr uint16_t port = 5001;
    Receiver receiver(nodes.Get(2), port);
    Sender sender(nodes.Get(0), bytes);
    sender.verbose = verbose;
    Simulator::Schedule(Seconds(0), &Sender::Start, &sender,
                        Address(InetSocketAddress(addresses.GetAddress(1), port)));
    Simulator::Stop(Seconds(1000));
    Simulator::Run();

    bool completed = sender.finished.IsPositive() && receiver.received == bytes;
    std::cout << std::boolalpha << std::setprecision(9);
    const char* separator = "{";
    auto member = [&separator](const char* name, const auto& value) {
        std::cout << separator << '"' << name << "\":" << value;
        separator = ",";
    };
    auto quoted = [](const std::string& text) { return '"' + text + '"'; };
    auto listed = [](const std::string& numbers) { return '[' + numbers + ']'; };
    member("id", quoted(id));
    member("recovery", quoted(recovery));
    member("control", quoted(control));
    member("segments", segments);
    member("payload", payload);
    member("initial_window", initialWindow);
    member("ack_every", ackEvery);
    member("ack_timer_s", ackTimer);
    member("timestamps", timestamps);
    member("limited_transmit", limitedTransmit);
    member("access", quoted(access));
    member("access_delay", quoted(accessDelay));
    member("rate", quoted(rate));
    member("delay", quoted(delay));
    member("lose", listed(loseText));
    member("lose_acks", listed(loseAcksText));
    member("completed", completed);
    member("completion_s", (sender.finished - sender.first).GetSeconds());
    member("last_data_s", (receiver.last - sender.first).GetSeconds());
    member("segments_sent", sender.segments);
    member("retransmitted_bytes", sender.retransmittedBytes);
    member("retransmitted_segments", sender.retransmits.Count());
    member("retransmits", sender.retransmits.Json());
    member("timeouts", sender.timeouts);
    member("fast_recoveries", sender.recoveries);
    member("acks_sent", back->offered);
    member("drops", forward->drops.Json());
    member("ack_drops", back->drops.Json());
    std::cout << "}" << std::endl;
    Simulator::Destroy();
    return completed ? 0 : 1;
}
