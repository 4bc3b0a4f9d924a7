// Bulk TCP flows through one bottleneck in htsim: bulk FLOWS MBPS SECONDS. benches/htsim.py builds and runs it.
// Three links each way, as in crates/sim/examples/bulk.rs: fast links of 5 ms around one of 20 ms with 60 ms of queue.
#include <cstdlib>
#include <iostream>
#include <vector>

#include "eventlist.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

int main(int count, char** words) {
    const int flows = count > 1 ? std::atoi(words[1]) : 4;
    const uint64_t mbps = count > 2 ? std::atoi(words[2]) : 100;
    const double seconds = count > 3 ? std::atof(words[3]) : 60;
    EventList events;
    events.setEndtime(timeFromSec(seconds));
    Packet::set_packet_size(1000);
    const mem_b deep = memFromPkt(10'000'000);
    auto link = [&](Route& route, uint64_t rate, double ms, mem_b room, Queue* shared) {
        route.push_back(shared ? shared : new Queue(speedFromMbps(rate), room, events, nullptr));
        route.push_back(new Pipe(timeFromMs(ms), events));
    };
    const mem_b room = memFromPkt(mbps * 60 / 8);
    Queue there(speedFromMbps(mbps), room, events, nullptr), back(speedFromMbps(mbps), room, events, nullptr);
    TcpRtxTimerScanner timers(timeFromMs(10), events);
    std::vector<TcpSink*> sinks;
    for (int number = 0; number < flows; number++) {
        auto* source = new TcpSrc(nullptr, nullptr, events);
        auto* sink = new TcpSink();
        auto *out = new Route(), *in = new Route();
        source->set_flowsize(uint64_t(1) << 50);
        timers.registerTcp(*source);
        link(*out, 10 * mbps, 5, deep, nullptr);
        link(*out, mbps, 20, room, &there);
        link(*out, 10 * mbps, 5, deep, nullptr);
        out->push_back(sink);
        link(*in, 10 * mbps, 5, deep, nullptr);
        link(*in, mbps, 20, room, &back);
        link(*in, 10 * mbps, 5, deep, nullptr);
        in->push_back(source);
        source->connect(*out, *in, *sink, timeFromMs(10 * number));
        sinks.push_back(sink);
    }
    while (events.doNextEvent()) {
    }
    uint64_t acked = 0;
    for (auto* sink : sinks) acked += sink->_cumulative_ack / 1000;
    std::cout << "acked " << acked << std::endl;
}
