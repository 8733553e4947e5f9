#!/usr/bin/perl
# What a decoder does that a crafted file has taken over: tries every way out and prints those that worked, one a line, then "end".
# Run as ffmpeg by the tests of the media sandbox, with arguments NAME=VALUE.
my %at = map { /^(\w+)=(.*)$/s ? ($1, $2) : () } @ARGV;
my $arm = $at{machine} eq 'arm64';
my ($clone, $ptrace, $mount, $unshare, $process_vm_readv, $pidfd_open, $memfd) = $arm ? (220, 117, 40, 97, 270, 434, 279) : (56, 101, 165, 272, 310, 434, 319);
my ($uring, $keyctl, $bpf, $chmod) = $arm ? (425, 219, 280, 53) : (425, 250, 321, 268);
sub content { my ($file) = @_; local $/; open(my $opened, '<', $file) or return; my $text = <$opened>; defined $text && length $text }
sub worked { my ($name, $result) = @_; print "$name\n" if $result }
$| = 1;
worked('read the API key file', content($at{key}));
worked('read a database', content($at{database}));
worked("read another tenant's media", content($at{media}));
worked('read the environment of the parent', content("/proc/$at{parent}/environ"));
worked('read /etc/passwd', content('/etc/passwd'));
worked('read /etc/shadow', content('/etc/shadow'));
worked('list the data folder', opendir(my $listed, $at{folder}));
worked('connect over TCP v4', socket($v4, 2, 1, 0) && connect($v4, pack('Sna4x8', 2, $at{port}, "\x7f\0\0\1")));
worked('connect over TCP v6', socket($v6, 10, 1, 0) && connect($v6, pack('SnNa16N', 10, $at{port6}, 0, "\0" x 15 . "\1", 0)));
worked('send over UDP', socket($udp, 2, 2, 0) && send($udp, 'x', 0, pack('Sna4x8', 2, $at{port}, "\x7f\0\0\1")));
worked('connect to a unix socket', socket($unix, 1, 1, 0) && connect($unix, pack('Sa108', 1, $at{socket})));
worked('signal the parent', kill(0, $at{parent}));
worked('open the parent by pidfd', syscall($pidfd_open, $at{parent} + 0, 0) >= 0);
worked('trace the parent', syscall($ptrace, 0x4206, $at{parent} + 0, 0, 0) >= 0 && (syscall($ptrace, 17, $at{parent} + 0, 0, 0), 1));
my ($here, $there) = (pack('x16'), pack('QQ', hex($at{address}), 4));
my $vector = pack('PQ', $here, 4);
worked('read the memory of the parent', syscall($process_vm_readv, $at{parent} + 0, $vector, 1, $there, 1, 0) == 4);
worked('write outside', open(my $outside, '>', "$at{folder}/outside"));
worked('write in its folder', open(my $inside, '>', 'inside'));
worked('make a folder', mkdir("$at{folder}/made"));
worked('remove a file', unlink($at{victim}));
worked('change the mode of a file', syscall($chmod, -100, $at{key}, 0666, 0) == 0);
worked('write to its input', open(my $input, '+<', '/dev/fd/0'));
worked('mount', do { my ($none, $place, $kind) = ('none', '/mnt', 'tmpfs'); syscall($mount, $none, $place, $kind, 0, 0) == 0 } && (system('umount /mnt'), 1));
worked('make memory a file', do { my $name = 'x'; syscall($memfd, $name, 0) >= 0 });
worked('set up io_uring', do { my $setup = pack('x120'); syscall($uring, 1, $setup) >= 0 });
worked('use the keyring', syscall($keyctl, 0, -3, 0) >= 0);
worked('load a BPF program', do { my $map = pack('LLLLx56', 2, 4, 8, 1); syscall($bpf, 0, $map, 72) >= 0 });
worked('run a shell', do { my $said = readpipe('echo out'); defined $said && $said eq "out\n" });
my $forked = 0;
for (1 .. 20) { my $child = fork; last unless defined $child; if ($child == 0) { sleep 1; exit } $forked += 1 }
worked('start 20 processes', $forked == 20);
worked('start a process', $forked > 0);
my $namespace = fork; if (defined $namespace) { if ($namespace == 0) { exit(syscall($unshare, 0x10000000) == 0 ? 0 : 1) } waitpid $namespace, 0; worked('make a user namespace', $? == 0) }
else { worked('make a user namespace', syscall($unshare, 0x10000000) == 0) }
print "end\n";
