<?php

declare(strict_types=1);

namespace Parlance\Core;

use Parlance\CallOptions;
use Parlance\Exception\ApiException;
use Parlance\Exception\ParlanceException;
use Parlance\File;

/** Sends a file: in one request when it is small, otherwise in pieces by the tus protocol. */
final class FileUpload
{
    /** Larger files are sent in pieces of this size, each of which is repeated by itself. */
    private const PIECE_BYTES = 8 * 1024 * 1024;
    private const TUS = ['tus-resumable' => '1.0.0'];

    /** @param (\Closure(int, int): void)|null $onProgress receives the bytes that were sent, and all */
    public function __construct(
        private readonly Transport $transport,
        private readonly CallOptions $options,
        private readonly ?string $name,
        private readonly ?\Closure $onProgress,
    ) {
    }

    /** @return array<mixed> the upload */
    public function send(File $file): array
    {
        try {
            $stream = new SizedStream($file->open());
            return $stream->size > self::PIECE_BYTES ? $this->sendInPieces($stream, $file->isRepeatable) : $this->sendWhole($stream->read($stream->size));
        } catch (ParlanceException $error) {
            throw $error->withKey($this->options->idempotencyKey);
        }
    }

    /** @return array<mixed> */
    private function sendWhole(string $body): array
    {
        $request = new Request('POST', '/uploads', ['file_name' => $this->name], body: $body, headers: ['content-type' => 'application/octet-stream']);
        $upload = $this->transport->object($request, $this->options);
        $this->report(strlen($body), strlen($body));
        return $upload;
    }

    /**
     * After a failure the server says which bytes it has. Those of an earlier call with the same key are continued, unless the file was
     * encrypted anew: the parts of two encryptions make no file.
     *
     * @return array<mixed>
     */
    private function sendInPieces(SizedStream $stream, bool $isRepeatable): array
    {
        $size = $stream->size;
        $metadata = $this->name === null ? null : 'filename ' . base64_encode($this->name);
        $headers = [...self::TUS, 'upload-length' => (string) $size, 'upload-metadata' => $metadata];
        /** @var array{upload_id: string} $created */
        $created = $this->transport->object(new Request('POST', '/uploads', headers: $headers), $this->options);
        $path = Request::path('uploads', $created['upload_id']);
        $offset = $isRepeatable ? 0 : $this->offset($path);
        if ($offset === $size) {
            $this->report($size, $size);
            return $this->transport->object(new Request('GET', $path), $this->options);
        }
        if ($offset > 0) {
            throw new ParlanceException('An earlier call has sent a part of this upload, which was encrypted with another key. Call again with another idempotencyKey.');
        }
        for ($start = 0; $start < $size; $start = $end) {
            $piece = $stream->read(min(self::PIECE_BYTES, $size - $start));
            $end = $start + strlen($piece);
            while ($offset < $end) {
                $offset = $this->append($path, $offset, $offset === $start ? $piece : substr($piece, $offset - $start));
            }
            $this->report($end, $size);
        }
        return $this->transport->object(new Request('GET', $path), $this->options);
    }

    /** Sends bytes that begin at an offset, and returns the number of bytes that the server has afterwards. */
    private function append(string $path, int $begin, string $body): int
    {
        $headers = [...self::TUS, 'content-type' => 'application/offset+octet-stream', 'upload-offset' => (string) $begin];
        for ($attempts = 0; ; $attempts++) {
            try {
                $this->transport->answer(new Request('PATCH', $path, body: $body, headers: $headers), $this->options->withoutRetries());
                return $begin + strlen($body);
            } catch (ParlanceException $error) {
                $isElsewhere = $error instanceof ApiException && $error->errorCode === 'upload_offset_mismatch';
                $pause = $isElsewhere ? 0.0 : Retries::pauseBefore($attempts, $error);
                if ($pause === null || $attempts >= $this->transport->maxRetriesOf($this->options)) {
                    throw $error;
                }
            }
            $this->transport->watch($this->options)->sleep($pause);
            $offset = $this->offset($path);
            if ($offset < $begin) {
                throw $error;
            }
            if ($offset > $begin) {
                return $offset;
            }
        }
    }

    private function offset(string $path): int
    {
        $headers = $this->transport->answer(new Request('HEAD', $path, headers: self::TUS), $this->options)->headers;
        $offset = $headers['upload-offset'] ?? '';
        return ctype_digit($offset) ? (int) $offset : throw new ParlanceException('The server does not say how much of the file it has.');
    }

    private function report(int $sent, int $size): void
    {
        if ($this->onProgress !== null) {
            ($this->onProgress)($sent, $size);
        }
    }
}
