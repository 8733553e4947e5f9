<?php

declare(strict_types=1);

namespace Parlance\Exception;

/** Every error of this package. */
class ParlanceException extends \RuntimeException
{
    /** The `Idempotency-Key` of the call: repeated with it, the call is performed once. */
    public ?string $idempotencyKey = null;

    /** The number of times that the request was sent. */
    public ?int $attempts = null;

    /** The job that the call created or waited for. */
    public ?string $jobId = null;

    /** @param bool $retryable whether the same call may succeed later */
    public function __construct(string $message, public readonly bool $retryable = false)
    {
        parent::__construct(self::oneLine($message));
    }

    /** Adds a sentence that says what to do to the message. */
    public function advise(string $advice): static
    {
        $this->message .= " {$advice}";
        return $this;
    }

    /** Notes the key of the call that this error ended. */
    public function withKey(?string $key): static
    {
        if ($key === null || $key === $this->idempotencyKey) {
            return $this;
        }
        $this->idempotencyKey = $key;
        return $this->isUnknown() ? $this->advise('Repeated with its idempotencyKey, the call is performed once.') : $this;
    }

    /** Notes the job that the call waited for, which continues where the connection alone has failed. */
    public function withJob(string $jobId): static
    {
        if ($this->jobId !== null) {
            return $this;
        }
        $this->jobId = $jobId;
        return $this->retryable ? $this->advise("The job {$jobId} continues: wait for it again.") : $this;
    }

    /** Says whether the server may have performed the call: its answer was lost, or a proxy has answered in its place, for instance after a time-out of its own. */
    private function isUnknown(): bool
    {
        return $this instanceof ConnectionException || $this instanceof TimeoutException || ($this instanceof UnexpectedResponseException && $this->retryable);
    }

    /** Texts of a server, which are a part of messages, must not begin a line of their own in a log, nor control a terminal. */
    private static function oneLine(string $text): string
    {
        return preg_replace('/[\p{Cc}\x{2028}\x{2029}]+/u', ' ', $text) ?? (string) preg_replace('/[\x00-\x1f\x7f]+/', ' ', $text);
    }
}
