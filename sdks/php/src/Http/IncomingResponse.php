<?php

declare(strict_types=1);

namespace Parlance\Http;

use Parlance\Exception\ParlanceException;

/** A response whose head has come. */
interface IncomingResponse
{
    public function status(): int;

    /** @return array<string, string> by their names in lower case */
    public function headers(): array;

    /**
     * The next piece of the body, or null at its end.
     *
     * @throws ParlanceException when the connection breaks, a time-out passes, or the call is canceled
     */
    public function read(): ?string;

    /** Gives the connection back. */
    public function close(): void;
}
