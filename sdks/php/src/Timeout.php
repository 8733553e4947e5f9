<?php

declare(strict_types=1);

namespace Parlance;

/** Time-outs in seconds; 0 is no limit, and null is that of the client. */
final class Timeout
{
    /**
     * @param float|null $connect until the head of a response, by default 30 s. Long polls and large bodies have more.
     * @param float|null $read between two pieces of a body, by default 60 s
     * @param float|null $total for a call with its retries, by default ten minutes. Streams have none, and an upload has it for each piece.
     */
    public function __construct(
        public readonly ?float $connect = null,
        public readonly ?float $read = null,
        public readonly ?float $total = null,
    ) {
    }
}
