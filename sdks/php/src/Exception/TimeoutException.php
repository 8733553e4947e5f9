<?php

declare(strict_types=1);

namespace Parlance\Exception;

/** A time-out has passed; `phase` says which. */
final class TimeoutException extends ParlanceException
{
    /** @param string|null $jobId the job that was waited for, which continues */
    public function __construct(public readonly TimeoutPhase $phase, float $seconds, ?string $jobId = null)
    {
        $waited = "The job {$jobId} has not ended after {$seconds} s. It continues: wait again, or cancel it.";
        parent::__construct($jobId === null ? "The {$phase->value} time-out of {$seconds} s has passed." : $waited, true);
        $this->jobId = $jobId;
    }
}
