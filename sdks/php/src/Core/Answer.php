<?php

declare(strict_types=1);

namespace Parlance\Core;

use Parlance\Exception\ApiException;
use Parlance\Exception\UnexpectedResponseException;
use Parlance\Generated\Types;
use Parlance\Http\IncomingResponse;

/**
 * An answer that was read whole.
 *
 * @phpstan-import-type Problem from Types
 */
final class Answer
{
    private const EXCERPT_BYTES = 200;

    /** @param array<string, string> $headers */
    public function __construct(public readonly int $status, public readonly array $headers, public readonly string $content)
    {
    }

    public static function read(IncomingResponse $response): self
    {
        $content = '';
        while (($piece = $response->read()) !== null) {
            $content .= $piece;
        }
        return new self($response->status(), $response->headers(), $content);
    }

    /** The value of a JSON answer; null where it has no body. */
    public function json(): mixed
    {
        return $this->content === '' ? null : ($this->decoded() ?? throw $this->unexpected());
    }

    /**
     * The value of a JSON answer that is an object.
     *
     * @return array<mixed>
     */
    public function object(): array
    {
        return self::arrayOf($this->decoded()) ?? throw $this->unexpected();
    }

    /** The error that the answer is. */
    public function error(): ApiException
    {
        $problem = self::arrayOf($this->decoded());
        if (is_string($problem['code'] ?? null)) {
            /** @var Problem $problem */
            return new ApiException($this->status, $problem, $this->headers);
        }
        return $this->content === '' && $this->status >= 400 ? new ApiException($this->status, null, $this->headers) : $this->unexpected();
    }

    /** @return array<mixed>|null */
    private static function arrayOf(mixed $value): ?array
    {
        return is_array($value) ? $value : null;
    }

    private function decoded(): mixed
    {
        return json_decode($this->content, true);
    }

    private function unexpected(): UnexpectedResponseException
    {
        return new UnexpectedResponseException($this->status, $this->headers, substr($this->content, 0, self::EXCERPT_BYTES));
    }
}
