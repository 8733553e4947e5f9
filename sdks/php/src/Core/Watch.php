<?php

declare(strict_types=1);

namespace Parlance\Core;

use Parlance\Exception\CanceledException;
use Parlance\Exception\ParlanceException;
use Parlance\Exception\TimeoutException;
use Parlance\Exception\TimeoutPhase;

/** Knows when a call has waited too long or was canceled, and which time-out it is. */
final class Watch
{
    private const SLICE_SECONDS = 0.1;

    private TimeoutPhase $phase = TimeoutPhase::Connect;
    private float $phaseSeconds = 0.0;
    private float $phaseEndsAt = INF;
    private float $endsAt;

    /** @param (\Closure(): bool)|null $isCanceled */
    public function __construct(private readonly Limits $limits, private readonly ?\Closure $isCanceled)
    {
        $this->endsAt = self::after($limits->total);
    }

    /** Begins to wait for the head of a response. */
    public function awaitHead(float $seconds): void
    {
        $this->await(TimeoutPhase::Connect, $seconds);
    }

    /** Begins to wait for the next piece of a body. */
    public function awaitBody(): void
    {
        $this->await(TimeoutPhase::Read, $this->limits->read);
    }

    /** Ends the total time-out: a stream may take any time. */
    public function liftTotal(): void
    {
        $this->endsAt = INF;
    }

    /** Seconds until a time-out passes. */
    public function left(): float
    {
        return max(min($this->phaseEndsAt, $this->endsAt) - self::now(), 0.0);
    }

    /** Seconds for which one may wait before the next look at the watch. */
    public function slice(): float
    {
        return max(min($this->left(), self::SLICE_SECONDS), 0.001);
    }

    public function failure(): ?ParlanceException
    {
        if ($this->isCanceled !== null && ($this->isCanceled)()) {
            return new CanceledException();
        }
        $now = self::now();
        if ($now >= $this->endsAt) {
            return new TimeoutException(TimeoutPhase::Total, $this->limits->total);
        }
        return $now >= $this->phaseEndsAt ? new TimeoutException($this->phase, $this->phaseSeconds) : null;
    }

    /** @throws TimeoutException|CanceledException */
    public function check(): void
    {
        $failure = $this->failure();
        if ($failure !== null) {
            throw $failure;
        }
    }

    /** Says whether a pause of so many seconds ends before the total time-out. */
    public function allows(float $seconds): bool
    {
        return self::now() + $seconds < $this->endsAt;
    }

    /** @throws CanceledException */
    public function sleep(float $seconds): void
    {
        $wakesAt = self::now() + $seconds;
        while (($left = $wakesAt - self::now()) > 0) {
            if ($this->isCanceled !== null && ($this->isCanceled)()) {
                throw new CanceledException();
            }
            usleep((int) (min($left, $this->isCanceled === null ? $left : self::SLICE_SECONDS) * 1e6));
        }
    }

    /** Seconds of a clock that is never set. */
    public static function now(): float
    {
        return (float) hrtime(true) / 1e9;
    }

    private function await(TimeoutPhase $phase, float $seconds): void
    {
        $this->phase = $phase;
        $this->phaseSeconds = $seconds;
        $this->phaseEndsAt = self::after($seconds);
    }

    private static function after(float $seconds): float
    {
        return $seconds > 0 ? self::now() + $seconds : INF;
    }
}
