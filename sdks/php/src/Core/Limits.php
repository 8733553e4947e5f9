<?php

declare(strict_types=1);

namespace Parlance\Core;

use Parlance\Timeout;

/** The time-outs that hold for a call, in seconds; 0 is no limit. */
final class Limits
{
    public function __construct(
        public readonly float $connect = 30.0,
        public readonly float $read = 60.0,
        public readonly float $total = 600.0,
    ) {
    }

    /** These limits with those that are given in their place. */
    public function changed(Timeout|float|null $given): self
    {
        $timeout = $given instanceof Timeout ? $given : new Timeout(total: $given);
        return new self($timeout->connect ?? $this->connect, $timeout->read ?? $this->read, $timeout->total ?? $this->total);
    }
}
