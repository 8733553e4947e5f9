<?php

declare(strict_types=1);

namespace Parlance\Exception;

/** The server could not be reached, or the connection broke. */
final class ConnectionException extends ParlanceException
{
    public function __construct(string $message)
    {
        parent::__construct($message, true);
    }
}
