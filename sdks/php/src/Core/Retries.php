<?php

declare(strict_types=1);

namespace Parlance\Core;

use Parlance\Exception\ApiException;
use Parlance\Exception\ParlanceException;

/** Decides which errors are retried, and when. */
final class Retries
{
    private const FIRST_PAUSE_SECONDS = 0.5;
    private const MAX_PAUSE_SECONDS = 8.0;

    /** A server that wants a longer pause gets no retry: the caller decides. */
    private const MAX_RETRY_AFTER_SECONDS = 60.0;

    /** Seconds before the next attempt, or null where there is none. */
    public static function pauseBefore(int $attempt, ParlanceException $error): ?float
    {
        if (!self::isRetried($error)) {
            return null;
        }
        $wanted = $error instanceof ApiException ? self::retryAfter($error->headers) : null;
        if ($wanted !== null) {
            return $wanted > self::MAX_RETRY_AFTER_SECONDS ? null : $wanted + self::random() * self::FIRST_PAUSE_SECONDS * min($wanted, 1.0);
        }
        return min(self::FIRST_PAUSE_SECONDS * (float) (2 ** $attempt), self::MAX_PAUSE_SECONDS) * (0.5 + self::random() / 2.0);
    }

    private static function isRetried(ParlanceException $error): bool
    {
        if ($error instanceof ApiException) {
            return $error->errorCode === 'idempotency_in_flight' || (ApiException::isTransient($error->status) && $error->retryable);
        }
        return $error->retryable;
    }

    /** @param array<string, string> $headers */
    private static function retryAfter(array $headers): ?float
    {
        $value = trim($headers['retry-after'] ?? '');
        if (is_numeric($value)) {
            return max((float) $value, 0.0);
        }
        $time = $value === '' ? false : strtotime($value);
        return $time === false ? null : max((float) ($time - time()), 0.0);
    }

    private static function random(): float
    {
        return (float) random_int(0, 1_000_000) / 1_000_000.0;
    }
}
