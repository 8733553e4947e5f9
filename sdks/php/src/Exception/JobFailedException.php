<?php

declare(strict_types=1);

namespace Parlance\Exception;

use Parlance\Generated\Types;

/**
 * The job that was waited for has failed or was canceled.
 *
 * @phpstan-import-type Transcription from Types
 */
final class JobFailedException extends ParlanceException
{
    public readonly string $errorCode;

    /** @param Transcription $job */
    public function __construct(public readonly array $job)
    {
        $failure = $job['error'] ?? null;
        $reason = $failure === null ? '.' : ": {$failure['code']}: {$failure['message']}";
        parent::__construct("The job {$job['job_id']} is {$job['status']}{$reason}", $failure['retryable'] ?? false);
        $this->jobId = $job['job_id'];
        $this->errorCode = $failure['code'] ?? $job['status'];
    }
}
