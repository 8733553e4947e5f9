<?php

declare(strict_types=1);

namespace Parlance\Exception;

use Parlance\Generated\Types;

/**
 * The server refused the call. Branch on `errorCode`.
 *
 * @phpstan-import-type Problem from Types
 * @phpstan-import-type ChatErrorEvent from Types
 */
class ApiException extends ParlanceException
{
    /** The code of the error, or `http_` and the status where the answer has none. */
    public readonly string $errorCode;

    /** The id of the request in the logs of the server. */
    public readonly ?string $requestId;

    /**
     * @param Problem|ChatErrorEvent|null $problem
     * @param array<string, string> $headers
     */
    public function __construct(public readonly int $status, public readonly ?array $problem, public readonly array $headers, ?string $message = null)
    {
        $ownMessage = $problem === null ? "The server answered with status {$status}." : $problem['code'] . ': ' . ($problem['detail'] ?? '');
        parent::__construct($message ?? $ownMessage, $problem['retryable'] ?? self::isTransient($status));
        $this->errorCode = $problem['code'] ?? "http_{$status}";
        $this->requestId = $problem['request_id'] ?? $headers['x-request-id'] ?? null;
    }

    /** Says whether a request that was answered with the status may succeed later. */
    public static function isTransient(int $status): bool
    {
        return $status === 408 || $status === 429 || ($status >= 500 && $status !== 501);
    }
}
