<?php

declare(strict_types=1);

namespace Parlance\Core;

use Parlance\CallOptions;
use Parlance\Exception\JobFailedException;
use Parlance\Exception\ParlanceException;
use Parlance\Exception\TimeoutException;
use Parlance\Exception\TimeoutPhase;
use Parlance\Generated\Types;

/**
 * Asks for a job until it has ended.
 *
 * @phpstan-import-type Transcription from Types
 */
final class JobWait
{
    public const DEFAULT_SECONDS = 21_600.0;

    /** Below the time after which proxies close a silent connection. */
    private const POLL_SECONDS = 25;

    private ?string $tag = null;

    /**
     * @param 'terminal'|'transcript' $until
     * @param (\Closure(Transcription): void)|null $onProgress
     */
    public function __construct(
        private readonly Transport $transport,
        private readonly string $jobId,
        private readonly string $until,
        private readonly ?\Closure $onProgress,
    ) {
    }

    /**
     * @return Transcription
     * @throws ParlanceException with the id of the job
     */
    public function run(float $timeout, CallOptions $options): array
    {
        try {
            return $this->waitForEnd($timeout, $options);
        } catch (ParlanceException $error) {
            throw $error->withJob($this->jobId);
        }
    }

    /** @return Transcription */
    private function waitForEnd(float $timeout, CallOptions $options): array
    {
        $endsAt = Watch::now() + $timeout;
        while (($left = $endsAt - Watch::now()) > 0) {
            $job = $this->poll((int) min(self::POLL_SECONDS, ceil($left)), $options);
            if ($job !== null && $this->isReached($job)) {
                return $job;
            }
        }
        throw new TimeoutException(TimeoutPhase::Wait, $timeout, $this->jobId);
    }

    /** @return Transcription|null the job once it changed or reached the wanted state, or null when nothing happened in the time */
    private function poll(int $seconds, CallOptions $options): ?array
    {
        $query = ['wait' => $seconds, 'wait_for' => $this->onProgress === null ? $this->until : 'change'];
        $headers = ['if-none-match' => $this->tag];
        $answer = $this->transport->answer(new Request('GET', Request::path('transcriptions', $this->jobId), $query, headers: $headers, held: (float) $seconds), $options);
        /** @var Transcription|null $job */
        $job = $answer->content === '' ? null : $answer->object();
        if ($job !== null && $this->onProgress !== null) {
            $this->tag = $answer->headers['etag'] ?? null;
            ($this->onProgress)($job);
        }
        return $job;
    }

    /** @param Transcription $job */
    private function isReached(array $job): bool
    {
        if ($job['status'] === 'failed' || $job['status'] === 'canceled') {
            throw new JobFailedException($job);
        }
        return $job['status'] === 'completed' || ($this->until === 'transcript' && isset($job['transcript']));
    }
}
