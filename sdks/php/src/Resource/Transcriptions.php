<?php

declare(strict_types=1);

namespace Parlance\Resource;

use Parlance\CallOptions;
use Parlance\Core\EventStreams;
use Parlance\Core\JobWait;
use Parlance\Core\Request;
use Parlance\Core\Transport;
use Parlance\Exception\JobFailedException;
use Parlance\Exception\ParlanceException;
use Parlance\Exception\TimeoutException;
use Parlance\File;
use Parlance\Generated\Types;
use Parlance\Pages;
use Psr\Http\Message\StreamInterface;

/**
 * Jobs and their transcripts.
 *
 * A new job has the options of the API, and may have a `file` instead of an `upload_id`, `files` or an `audio_url`.
 *
 * @phpstan-import-type NewTranscription from Types
 * @phpstan-import-type AcceptedTranscription from Types
 * @phpstan-import-type Transcription from Types
 * @phpstan-import-type TranscriptionSummary from Types
 * @phpstan-import-type TranscriptionChanges from Types
 * @phpstan-import-type AcceptedErasure from Types
 * @phpstan-import-type JobStreamEvent from Types
 * @phpstan-import-type ExportFormat from Types
 * @phpstan-import-type GetTranscriptionQuery from Types
 * @phpstan-import-type ListTranscriptionsQuery from Types
 * @phpstan-import-type ExportTranscriptQuery from Types
 * @phpstan-import-type RetryTranscriptionQuery from Types
 * @phpstan-type FileInput File|string|\SplFileInfo|resource|StreamInterface|iterable<string>
 */
final class Transcriptions
{
    public function __construct(private readonly Transport $transport, private readonly Uploads $uploads)
    {
    }

    /**
     * Creates a job. A `file` is uploaded first, in pieces where it is large.
     *
     * @param NewTranscription $job
     * @param FileInput|null $file a text is a path
     * @param (\Closure(int, int): void)|null $onUploadProgress receives the bytes that were sent, and all
     * @return AcceptedTranscription
     */
    public function create(array $job = [], mixed $file = null, ?string $fileName = null, ?\Closure $onUploadProgress = null, ?CallOptions $options = null): array
    {
        $given = ($options ?? new CallOptions())->withKey(Transport::newKey());
        if ($file !== null) {
            $job['upload_id'] = $this->uploads->create($file, $fileName, $onUploadProgress, $given)['upload_id'];
        }
        /** @var AcceptedTranscription $created */
        $created = $this->transport->object(new Request('POST', '/transcriptions', json: $job), $given);
        return $created;
    }

    /**
     * Waits until the job has ended, or until its transcript is there.
     *
     * @param float $timeout seconds after which a TimeoutException is thrown, and the job continues
     * @param 'terminal'|'transcript' $until
     * @param (\Closure(Transcription): void)|null $onProgress called with the job at each change
     * @return Transcription
     * @throws JobFailedException when the job failed or was canceled
     * @throws TimeoutException
     */
    public function wait(string $jobId, float $timeout = JobWait::DEFAULT_SECONDS, string $until = 'terminal', ?\Closure $onProgress = null, ?CallOptions $options = null): array
    {
        return (new JobWait($this->transport, $jobId, $until, $onProgress))->run($timeout, $options ?? new CallOptions());
    }

    /**
     * Creates a job, waits for its end, and returns it with its transcript.
     *
     * @param NewTranscription $job
     * @param FileInput|null $file a text is a path
     * @param (\Closure(int, int): void)|null $onUploadProgress receives the bytes that were sent, and all
     * @param 'terminal'|'transcript' $until
     * @param (\Closure(Transcription): void)|null $onProgress called with the job at each change
     * @return Transcription
     * @throws JobFailedException when the job failed or was canceled
     * @throws TimeoutException
     */
    public function transcribe(
        array $job = [],
        mixed $file = null,
        ?string $fileName = null,
        ?\Closure $onUploadProgress = null,
        float $waitTimeout = JobWait::DEFAULT_SECONDS,
        string $until = 'terminal',
        ?\Closure $onProgress = null,
        ?CallOptions $options = null,
    ): array {
        $given = ($options ?? new CallOptions())->withKey(Transport::newKey());
        $created = $this->create($job, $file, $fileName, $onUploadProgress, $given);
        try {
            return $this->wait($created['job_id'], $waitTimeout, $until, $onProgress, $given->forWait());
        } catch (ParlanceException $error) {
            throw $error->withKey($given->idempotencyKey);
        }
    }

    /**
     * The job, with its transcript once there is one.
     *
     * @param GetTranscriptionQuery $query
     * @return Transcription
     */
    public function get(string $jobId, array $query = [], ?CallOptions $options = null): array
    {
        $request = new Request('GET', Request::path('transcriptions', $jobId), $query, held: (float) ($query['wait'] ?? 0));
        /** @var Transcription $job */
        $job = $this->transport->object($request, $options);
        return $job;
    }

    /**
     * @param ListTranscriptionsQuery $query
     * @return Pages<TranscriptionSummary>
     */
    public function list(array $query = [], ?CallOptions $options = null): Pages
    {
        $query['statuses'] = implode(',', $query['statuses'] ?? []) ?: null;
        return new Pages(function (?string $cursor) use ($query, $options): array {
            /** @var array{data: list<TranscriptionSummary>, next_cursor: string|null} $page */
            $page = $this->transport->object(new Request('GET', '/transcriptions', [...$query, ...($cursor === null ? [] : ['cursor' => $cursor])]), $options);
            return $page;
        });
    }

    /**
     * @param TranscriptionChanges $changes
     * @return Transcription
     */
    public function update(string $jobId, array $changes, ?CallOptions $options = null): array
    {
        /** @var Transcription $job */
        $job = $this->transport->object(new Request('PATCH', Request::path('transcriptions', $jobId), json: $changes), $options);
        return $job;
    }

    /**
     * Removes the job and everything that was made of it.
     *
     * @return AcceptedErasure
     */
    public function delete(string $jobId, ?CallOptions $options = null): array
    {
        /** @var AcceptedErasure $erasure */
        $erasure = $this->transport->object(new Request('DELETE', Request::path('transcriptions', $jobId)), $options);
        return $erasure;
    }

    /**
     * Ends a job that has not ended.
     *
     * @return TranscriptionSummary
     */
    public function cancel(string $jobId, ?CallOptions $options = null): array
    {
        /** @var TranscriptionSummary $job */
        $job = $this->transport->object(new Request('POST', Request::path('transcriptions', $jobId, 'cancel')), $options);
        return $job;
    }

    /**
     * Runs the failed stages of a job again.
     *
     * @param RetryTranscriptionQuery $query
     * @return TranscriptionSummary
     */
    public function retry(string $jobId, array $query = [], ?CallOptions $options = null): array
    {
        /** @var TranscriptionSummary $job */
        $job = $this->transport->object(new Request('POST', Request::path('transcriptions', $jobId, 'retry'), $query), $options);
        return $job;
    }

    /** The results of a completed job with a `result_key`, as a JWE: `docs/clients/php.md` has how it is opened. */
    public function sealed(string $jobId, ?CallOptions $options = null): string
    {
        return $this->transport->answer(new Request('GET', Request::path('transcriptions', $jobId, 'sealed'), headers: ['accept' => 'application/jose']), $options)->content;
    }

    /**
     * The transcript as text, captions or a document, of which docx, pdf and stl are binary.
     *
     * @param ExportFormat $format
     * @param ExportTranscriptQuery $query
     */
    public function export(string $jobId, string $format, array $query = [], ?CallOptions $options = null): string
    {
        $request = new Request('GET', Request::path('transcriptions', $jobId, 'export', $format), $query, headers: ['accept' => '*/*']);
        return $this->transport->answer($request, $options)->content;
    }

    /**
     * The recording, in pieces as they come.
     *
     * @return \Generator<int, string>
     */
    public function media(string $jobId, ?CallOptions $options = null): \Generator
    {
        $response = $this->transport->stream(new Request('GET', Request::path('transcriptions', $jobId, 'media'), headers: ['accept' => '*/*']), $options);
        try {
            while (($piece = $response->read()) !== null) {
                yield $piece;
            }
        } finally {
            $response->close();
        }
    }

    /**
     * Status, progress and segments of the job until it has ended, each by its id. A broken connection is resumed after the last event.
     *
     * @return \Generator<int|string, JobStreamEvent>
     * @throws ParlanceException
     */
    public function events(string $jobId, ?string $lastEventId = null, ?CallOptions $options = null): \Generator
    {
        $streams = new EventStreams($this->transport);
        try {
            foreach ($streams->follow(Request::path('transcriptions', $jobId, 'events'), ['done'], $lastEventId, $options ?? new CallOptions()) as $id => $event) {
                /** @var JobStreamEvent $event */
                yield $id => $event;
            }
        } catch (ParlanceException $error) {
            throw $error->withJob($jobId);
        }
    }
}
