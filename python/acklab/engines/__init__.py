"""Where runs are made: threads, a Ray cluster, a Linux in virtual time; and the journal of the finished ones."""
