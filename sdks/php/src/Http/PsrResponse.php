<?php

declare(strict_types=1);

namespace Parlance\Http;

use Parlance\Core\Watch;
use Parlance\Exception\ConnectionException;
use Psr\Http\Message\ResponseInterface;

/** A PSR-7 response. A body that is a stream of PHP is read in slices of time, so that time-outs and cancellation are noticed. */
final class PsrResponse implements IncomingResponse
{
    private const PIECE_BYTES = 65_536;

    /** @var resource|null */
    private mixed $stream = null;

    private int $received = 0;

    public function __construct(private readonly ResponseInterface $response, private readonly Watch $watch)
    {
        // Symfony's bodies are streams of PHP which do not continue after a time-out of the stream.
        if (in_array($response->getBody()->getMetadata('stream_type'), ['tcp_socket', 'tcp_socket/ssl'], true)) {
            $this->stream = $response->getBody()->detach();
        }
    }

    public function status(): int
    {
        return $this->response->getStatusCode();
    }

    public function headers(): array
    {
        $headers = [];
        foreach ($this->response->getHeaders() as $name => $values) {
            $headers[strtolower((string) $name)] = implode(', ', $values);
        }
        return $headers;
    }

    public function read(): ?string
    {
        $this->watch->check();
        $piece = $this->stream === null ? $this->readBody() : $this->readStream($this->stream);
        $this->watch->awaitBody();
        if ($piece === '') {
            $this->checkLength();
            return null;
        }
        $this->received += strlen($piece);
        return $piece;
    }

    public function close(): void
    {
        $stream = $this->stream;
        $this->stream = null;
        if ($stream !== null) {
            fclose($stream);
        } else {
            $this->response->getBody()->close();
        }
    }

    /** The next piece, empty at the end. */
    private function readBody(): string
    {
        $body = $this->response->getBody();
        // Symfony's streams raise warnings besides the exception.
        set_error_handler(static fn (): bool => true);
        try {
            while (!$body->eof()) {
                $piece = $body->read(self::PIECE_BYTES);
                if ($piece !== '') {
                    return $piece;
                }
                $this->watch->check();
            }
            return '';
        } catch (\RuntimeException $error) {
            throw Failure::of($error, $this->watch);
        } finally {
            restore_error_handler();
        }
    }

    /** @param resource $stream */
    private function readStream(mixed $stream): string
    {
        while (!feof($stream)) {
            $slice = $this->watch->slice();
            stream_set_timeout($stream, 0, (int) ($slice * 1e6));
            $piece = @fread($stream, self::PIECE_BYTES);
            if ($piece !== false && $piece !== '') {
                return $piece;
            }
            if (!stream_get_meta_data($stream)['timed_out']) {
                return '';
            }
            $this->watch->check();
        }
        return '';
    }

    /** Some clients do not report a body that was cut. */
    private function checkLength(): void
    {
        $expected = $this->response->getHeaderLine('content-length');
        if ($this->received > 0 && ctype_digit($expected) && $this->received < (int) $expected && !$this->response->hasHeader('content-encoding')) {
            throw new ConnectionException("The body ended after {$this->received} of {$expected} bytes.");
        }
    }
}
