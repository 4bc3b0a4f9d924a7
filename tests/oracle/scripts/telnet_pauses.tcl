# Pauses of ns-2's telnet application, whose tcplib source is what the papers' simulator draws from.
# It writes through UDP, so nothing but the application decides when; each write's time stands in the link's trace ("+").
# usage: ns telnet_pauses.tcl SEED SECONDS
ns-random [lindex $argv 0]
set ns [new Simulator]
set from [$ns node]
set to [$ns node]
$ns simplex-link $from $to 1Gb 0 DropTail
$ns trace-queue $from $to [open /dev/stdout w]
set udp [new Agent/UDP]
set sink [new Agent/Null]
$ns attach-agent $from $udp
$ns attach-agent $to $sink
$ns connect $udp $sink
set telnet [new Application/Telnet]
$telnet attach-agent $udp
# No mean: tcplib's table.
$telnet set interval_ 0
$ns at 0 "$telnet start"
$ns at [lindex $argv 1] "exit 0"
$ns run
