// Decisions of ns-3's queue discs, by themselves: packets that arrive at given times, and a link of constant rate behind.
//
// Standard input, one thing a line:
//   set ATTRIBUTE VALUE              a default of ns-3, such as ns3::CoDelQueueDisc::UseEcn true
//   disc TYPE                        the queue disc
//   quantum BYTES                    of a disc with a queue for each flow
//   rate BPS                         of the link
//   draws SKIP                       how many draws of the generator are not this disc's
//   roots                            COBALT's table of roots is replaced by exact ones
//   present-delay                    PIE looks at the delay of the last departure where an arrival may be let in
//   packet NS FLOW BUCKET BYTES ECN  an arrival: BUCKET is its queue, ECN is 2 if it can be marked
// Standard output: the log, as crates/path/tests/judged/mod.rs describes it.
//
// Built with -fno-access-control: the discs' generators are replaced, so that all draws are those of one named stream.

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/rng-stream.h"
#include "ns3/traffic-control-module.h"

#include <cmath>
#include <iostream>
#include <sstream>
#include <vector>

using namespace ns3;

namespace
{

/// A packet: its number, the queue of its flow, and whether it can be marked, or is.
class Item : public QueueDiscItem
{
  public:
    Item(uint32_t number, uint32_t flow, uint32_t bucket, uint32_t size, uint32_t ecn)
        : QueueDiscItem(Create<Packet>(size), Address(), 0x0800),
          number(number),
          flow(flow),
          bucket(bucket),
          ecn(ecn)
    {
    }

    void AddHeader() override
    {
    }

    bool Mark() override
    {
        marked = ecn > 0;
        return marked;
    }

    uint32_t Hash(uint32_t) const override
    {
        return bucket;
    }

    uint32_t number;
    uint32_t flow;
    uint32_t bucket;
    uint32_t ecn;
    bool marked{false};
};

/// Draws of a stream that starts with all words 12345.
class Draws : public UniformRandomVariable
{
  public:
    double GetValue() override
    {
        return m_stream.RandU01();
    }

    RngStream m_stream{12345, 0, 0};
};

/// A disc before a link, and the log of what happens.
class Bench
{
  public:
    void Attach(Ptr<QueueDisc> disc, uint64_t rate)
    {
        m_disc = disc;
        m_rate = rate;
        disc->TraceConnectWithoutContext("DropBeforeEnqueue", MakeCallback(&Bench::OnDrop, this));
        disc->TraceConnectWithoutContext("DropAfterDequeue", MakeCallback(&Bench::OnDrop, this));
        disc->Initialize();
        Share(disc);
    }

    void Arrive(Ptr<Item> item)
    {
        std::ostringstream rest;
        rest << item->flow << ' ' << item->GetSize() << ' ' << item->ecn;
        uint32_t before = m_disc->GetNQueueDiscClasses();
        std::vector<Time> old;
        for (auto& pie : m_pies)
        {
            old.push_back(pie->m_qDelayOld);
            pie->m_qDelayOld = presentDelay ? pie->m_qDelay : pie->m_qDelayOld;
        }
        m_disc->Enqueue(item);
        for (size_t i = 0; i < old.size(); i++)
        {
            m_pies[i]->m_qDelayOld = old[i];
        }
        for (uint32_t i = before; i < m_disc->GetNQueueDiscClasses(); i++)
        {
            Share(m_disc->GetQueueDiscClass(i)->GetQueueDisc());
        }
        Line('A', rest.str());
        if (!m_busy)
        {
            Serve();
        }
    }

    Ptr<Draws> draws = CreateObject<Draws>();
    bool exactRoots{false};
    bool presentDelay{false};

  private:
    /// Draws come from the one stream, whichever queue takes them.
    void Share(Ptr<QueueDisc> disc)
    {
        if (auto pie = DynamicCast<PieQueueDisc>(disc))
        {
            pie->m_uv = draws;
            m_pies.push_back(pie);
        }
        if (auto red = DynamicCast<RedQueueDisc>(disc))
        {
            red->m_uv = draws;
        }
        if (auto cobalt = DynamicCast<CobaltQueueDisc>(disc))
        {
            cobalt->m_uv = draws;
            for (uint32_t count = 2; exactRoots && count < 16; count++)
            {
                cobalt->m_recInvSqrtCache[count] = std::lround(std::pow(2, 32) / std::sqrt(count));
            }
        }
    }

    void Serve()
    {
        m_busy = false;
        auto item = DynamicCast<Item>(m_disc->Dequeue());
        if (item)
        {
            m_busy = true;
            Simulator::Schedule(NanoSeconds(item->GetSize() * 8'000'000'000ULL / m_rate), &Bench::Serve, this);
            Line('D', std::to_string(item->number) + (item->marked ? " 1" : " 0"));
            return;
        }
        Line('I', "0 0");
        auto bucket = DynamicCast<TbfQueueDisc>(m_disc);
        if (bucket && bucket->m_id.IsRunning())
        {
            // A packet waits for tokens: nobody but this bench asks for it.
            m_busy = true;
            Simulator::Schedule(Simulator::GetDelayLeft(bucket->m_id), &Bench::Serve, this);
            Simulator::Cancel(bucket->m_id);
        }
    }

    void OnDrop(Ptr<const QueueDiscItem> item, const char*)
    {
        m_drops += " x " + std::to_string(DynamicCast<const Item>(item)->number);
    }

    void Line(char kind, const std::string& rest)
    {
        int64_t now = Simulator::Now().GetNanoSeconds();
        std::cout << kind << ' ' << now - m_last << ' ' << rest << m_drops << '\n';
        m_drops.clear();
        m_last = now;
    }

    Ptr<QueueDisc> m_disc;
    std::vector<Ptr<PieQueueDisc>> m_pies;
    uint64_t m_rate{0};
    bool m_busy{false};
    int64_t m_last{0};
    std::string m_drops;
};

} // namespace

int
main()
{
    Bench bench;
    ObjectFactory factory;
    uint64_t rate = 0;
    uint32_t quantum = 0;
    uint32_t number = 0;
    uint64_t last = 0;
    std::string text;
    while (std::getline(std::cin, text))
    {
        std::istringstream line(text);
        std::string word;
        line >> word;
        if (word == "set")
        {
            std::string name;
            std::string value;
            line >> name >> value;
            Config::SetDefault(name, StringValue(value));
        }
        else if (word == "disc")
        {
            line >> word;
            factory.SetTypeId(word);
        }
        else if (word == "quantum")
        {
            line >> quantum;
        }
        else if (word == "rate")
        {
            line >> rate;
        }
        else if (word == "draws")
        {
            uint32_t skip;
            line >> skip;
            while (skip-- > 0)
            {
                bench.draws->GetValue();
            }
        }
        else if (word == "roots")
        {
            bench.exactRoots = true;
        }
        else if (word == "present-delay")
        {
            bench.presentDelay = true;
        }
        else if (word == "packet")
        {
            if (++number == 1)
            {
                auto disc = factory.Create<QueueDisc>();
                if (auto fair = DynamicCast<FqCoDelQueueDisc>(disc))
                {
                    fair->SetQuantum(quantum);
                }
                if (auto fair = DynamicCast<FqPieQueueDisc>(disc))
                {
                    fair->SetQuantum(quantum);
                }
                if (auto fair = DynamicCast<FqCobaltQueueDisc>(disc))
                {
                    fair->SetQuantum(quantum);
                }
                bench.Attach(disc, rate);
            }
            uint64_t time;
            uint32_t flow;
            uint32_t bucket;
            uint32_t size;
            uint32_t ecn;
            line >> time >> flow >> bucket >> size >> ecn;
            NS_ABORT_MSG_IF(!line, "bad packet: " << text);
            last = time;
            Simulator::Schedule(NanoSeconds(time), &Bench::Arrive, &bench,
                                Create<Item>(number, flow, bucket, size, ecn));
        }
    }
    // PIE's timer never ends; after a pause of that length nothing waits.
    Simulator::Stop(NanoSeconds(last) + Seconds(20));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
