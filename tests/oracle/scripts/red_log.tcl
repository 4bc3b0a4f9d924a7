# red_log.tcl - what a RED queue saw and did, for replaying it elsewhere: compete.tcl's workload (n transfers, scseed, redseed) or other RED
#  parameters (gentle, wait).  log= names the file:  "+ time size" a packet is offered, "d time size" it is dropped, "- time size" one is
#  taken into service.  Times are doubles in full.  The queue draws from the default generator after seed redseed and 2n other draws.
set argv_ $argv; set argv {}
foreach a $argv_ { if {![string match log=* $a]} { lappend argv $a } else { set logname [string range $a 4 end] } }
lappend argv qtype=RED
set lf [open $logname w]
proc red_event {line} { global lf ns
  set e [lindex $line 0]; if {$e ne "r"} { puts $lf "$e [format %.17g [$ns now]] [lindex $line 5]" } }
set script [open [file join [file dirname [info script]] compete.tcl]]; set text [read $script]; close $script
# the callback is attached right after the links exist; the file is flushed when the run ends
regsub {set qm \[} $text {$ns trace-queue $g $r ""; [$ns link $g $r] trace-callback $ns red_event; set qm [} text
regsub -all {exit 0} $text {close $::lf; exit 0} text
eval $text
