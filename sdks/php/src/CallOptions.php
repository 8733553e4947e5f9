<?php

declare(strict_types=1);

namespace Parlance;

/** The options that every call takes. */
final class CallOptions
{
    /**
     * @param Timeout|float|null $timeout a number is the total
     * @param string|null $idempotencyKey by default one for each call, which its retries share
     * @param array<string, string> $headers
     * @param (\Closure(): bool)|null $cancel called while the call waits, at least once a second where the HTTP client allows it: true ends the call
     */
    public function __construct(
        public readonly Timeout|float|null $timeout = null,
        public readonly ?int $maxRetries = null,
        public readonly ?string $idempotencyKey = null,
        public readonly array $headers = [],
        public readonly ?\Closure $cancel = null,
    ) {
    }

    /** The same options with this key, unless there is one. */
    public function withKey(string $key): self
    {
        return $this->idempotencyKey !== null ? $this : new self($this->timeout, $this->maxRetries, $key, $this->headers, $this->cancel);
    }

    public function withoutRetries(): self
    {
        return new self($this->timeout, 0, $this->idempotencyKey, $this->headers, $this->cancel);
    }

    /** The options of a wait after the call that created its job. */
    public function forWait(): self
    {
        return new self(null, $this->maxRetries, null, $this->headers, $this->cancel);
    }
}
