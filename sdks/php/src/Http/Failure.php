<?php

declare(strict_types=1);

namespace Parlance\Http;

use Parlance\Core\Watch;
use Parlance\Exception\ConnectionException;
use Parlance\Exception\ParlanceException;

/** Makes errors of those of HTTP clients. */
final class Failure
{
    /** The time-out or the cancellation that ended the request, or the loss of the connection. The error itself is not kept, since it has the key. */
    public static function of(#[\SensitiveParameter] \Throwable $error, Watch $watch): ParlanceException
    {
        $reason = rtrim($error->getMessage(), '.');
        return $watch->failure() ?? new ConnectionException("The connection to the server failed: {$reason}. Check that the server runs and is at this base URL.");
    }
}
