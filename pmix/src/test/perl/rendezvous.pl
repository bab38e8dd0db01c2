# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Ranks meet as those of PyTorch do by environment variables: rank 0 listens, and the others tell it their ranks.
use strict;
use warnings;
use IO::Socket::INET;

my ($rank, $size, $address, $port) = @ENV{qw(RANK WORLD_SIZE MASTER_ADDR MASTER_PORT)};
if ($rank == 0) {
    my $server = IO::Socket::INET->new(LocalAddr => $address, LocalPort => $port, Listen => 64, ReuseAddr => 1) or die "listen: $@";
    my @others;
    while (@others < $size - 1) {
        my $peer = $server->accept or die "accept: $!";
        push @others, split ' ', scalar <$peer>;
    }
    print "ranks and local ranks at port $port: ", join(' ', sort @others), "\n";
} else {
    my $peer;
    for (1 .. 600) {
        last if $peer = IO::Socket::INET->new(PeerAddr => $address, PeerPort => $port);
        select undef, undef, undef, 0.05;
    }
    die "connect: $@" unless $peer;
    print $peer "$rank/$ENV{LOCAL_RANK}\n";
}
