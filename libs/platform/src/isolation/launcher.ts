/**
 * Confines itself, then becomes the command: `perl -e LAUNCHER PRCTL FILTER PATH… -- COMMAND ARGUMENT…`, where PRCTL is the number
 * of that call on this machine type, FILTER the seccomp program in hexadecimal, and each PATH may be read and executed.
 *
 * Perl, because it is on every Debian and Ubuntu (perl-base is essential there), comes with git elsewhere, starts in a few
 * milliseconds, and can make any system call. `setpriv` of util-linux 2.41 has Landlock and seccomp too, but the distributions
 * of before 2025 have an older one.
 *
 * 1. First choice of the kernel when memory runs out; no new privileges, so that set-user-ID programs give none.
 * 2. Landlock (linux/landlock.h), where the kernel has it: reads and executes what lies beneath the paths, reads its standard
 *    input, reaches no other file. From version 4 on no TCP, from 6 on no signal to others and no abstract socket.
 * 3. The seccomp filter.
 */
export const LAUNCHER = String.raw`
my ($prctl, $filter, @rest) = @ARGV;
my @paths;
push @paths, shift @rest while @rest && $rest[0] ne '--';
shift @rest;
sub must { my ($what, $result) = @_; die "sandbox: $what: $!\n" if $result == -1; $result }

if (open my $score, '>', '/proc/self/oom_score_adj') { print $score "1000\n"; close $score }
must('no_new_privs', syscall($prctl + 0, 38, 1, 0, 0, 0));

my $version = syscall(444, 0, 0, 1);
if ($version >= 1) {
  my $bits = $version >= 5 ? 16 : $version >= 3 ? 15 : $version >= 2 ? 14 : 13;
  my $handled = pack('Q', (1 << $bits) - 1);
  $handled .= pack('Q', 3) if $version >= 4;
  $handled .= pack('Q', 3) if $version >= 6;
  my $rules = must('landlock', syscall(444, $handled, length $handled, 0));
  my ($execute, $read_file, $read_folder) = (1, 4, 8);
  my $allow = sub { must('landlock rule', syscall(445, $rules, 1, pack('Ql', $_[1], $_[0]), 0)) };
  for my $path (@paths) {
    sysopen(my $opened, $path, 0x200000) or next;
    $allow->(fileno $opened, $execute | $read_file | (-d $opened ? $read_folder : 0));
  }
  $allow->(0, $read_file) if -f STDIN;
  must('landlock restriction', syscall(446, $rules, 0));
}

my $program = pack('H*', $filter);
must('seccomp', syscall($prctl + 0, 22, 2, pack('Sx6P', length($program) / 8, $program), 0, 0));
exec { $rest[0] } @rest or die "sandbox: $rest[0]: $!\n";
`;
