<?php

declare(strict_types=1);

namespace Parlance\Test;

/** The server of the conformance suite, as a process of its own. */
final class FaultServer
{
    private const SUITE = __DIR__ . '/../../conformance';

    /** @param resource $process */
    private function __construct(private readonly mixed $process, private readonly string $url)
    {
    }

    public static function start(): self
    {
        $process = proc_open(['node', self::SUITE . '/fault-server.mjs'], [1 => ['pipe', 'w']], $pipes);
        if ($process === false) {
            throw new \RuntimeException('The fault server does not start.');
        }
        return new self($process, trim((string) fgets($pipes[1])));
    }

    public function stop(): void
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }

    /** @return array<string, array<string, mixed>> the cases by their names */
    public static function cases(): array
    {
        $cases = [];
        foreach (glob(self::SUITE . '/cases/*.json') ?: [] as $file) {
            foreach (json_decode((string) file_get_contents($file), true, 512, JSON_THROW_ON_ERROR) as $case) {
                $cases[$case['name']] = $case;
            }
        }
        return $cases;
    }

    /** @return array{run: string, base_url: string} */
    public function begin(string $case): array
    {
        $context = ['method' => 'POST', 'header' => 'content-type: application/json', 'content' => json_encode(['case' => $case], JSON_THROW_ON_ERROR)];
        return $this->control('runs', $context);
    }

    /** @return list<string> how the requests that came differ from those of the case */
    public function faults(string $run): array
    {
        return $this->control("runs/{$run}", [])['faults'];
    }

    /**
     * @param array<string, string> $context
     * @return array<string, mixed>
     */
    private function control(string $path, array $context): array
    {
        $answer = file_get_contents("{$this->url}/control/{$path}", false, stream_context_create(['http' => $context]));
        return json_decode((string) $answer, true, 512, JSON_THROW_ON_ERROR);
    }
}
