# linux_cwnd.tcl - one endless flow S --(bw1,d1)-- G --(bw2,d2,queue q)-- R, and the sender's cwnd every step seconds
#   kind=Linux:<ca>|Sack1   ack=each|delack   T=seconds   step=seconds (0: no log) from=seconds (start of the log)
#   dl=i;j;k drops those packets (0-based count) offered to G->R before its queue; plr, lseed: random losses instead
# prints one line: the arguments that matter, segments acknowledged in T, and cwnds=time:cwnd;...
source [file join [file dirname [info script]] lib.tcl]
set ns [new Simulator]
set kind [opt kind Linux:cubic]
set s [$ns node]; set g [$ns node]; set r [$ns node]
foreach {a b bw d} [list $s $g [opt bw1 1e9] [opt d1 0.002] $g $s [opt bw1 1e9] [opt d1 0.002] \
    $g $r [opt bw2 1e7] [opt d2 0.048] $r $g [opt bw2 1e7] [opt d2 0.048]] {
  $ns simplex-link $a $b $bw $d DropTail
  $ns queue-limit $a $b 100000
}
$ns queue-limit $g $r [opt q 100000]
set tcp [mk_tcp $kind]; set sink [mk_sink $kind [opt ack each]]
$ns attach-agent $s $tcp; $ns attach-agent $r $sink; $ns connect $tcp $sink
set qm [$ns monitor-queue $g $r "" 1000000]
if {[opt plr 0] > 0} {
  set em [new ErrorModel]; $em unit pkt; $em set rate_ [opt plr 0]
  set er [new RNG]; $er seed [opt lseed 1]; set rv [new RandomVariable/Uniform]; $rv set min_ 0; $rv set max_ 1; $rv use-rng $er
  $em ranvar $rv; $ns lossmodel $em $g $r; $em drop-target [new Agent/Null]
}
if {[opt dl ""] ne ""} {
  set em [new ErrorModel/List]; $em droplist [join [split [opt dl ""] {;}] " "]
  $ns lossmodel $em $g $r; $em drop-target [new Agent/Null]
}
set log {}
proc look {} {
  global ns tcp log
  lappend log [format %g:%g [$ns now] [$tcp set cwnd_]]
  $ns at [expr {[$ns now] + [opt step 0]}] look
}
if {[opt step 0] > 0} { $ns at [opt from 0] look }
set ftp [new Application/FTP]; $ftp attach-agent $tcp
$ns at 0.0 "$ftp start"
$ns at [opt T 100] {
  puts "kind=$kind ack=[opt ack each] bw=[opt bw2 1e7] q=[opt q 100000] plr=[opt plr 0] lseed=[opt lseed 1] dl=[opt dl {}] T=[opt T 100] acked=[expr [$tcp set ack_]+1] sent=[$tcp set ndatapack_] rexmit=[$tcp set nrexmitpack_] rto=[$tcp set nrexmit_] cuts=[$tcp set ncwndcuts_] drops=[$qm set pdrops_] cwnds=[join $log {;}]"
  exit 0
}
$ns run
