<?php

declare(strict_types=1);

namespace Parlance\Core;

use Parlance\Exception\ParlanceException;

/** A seekable stream from its position to the end that it has now. */
final class SizedStream
{
    /** Bytes. */
    public readonly int $size;

    private int $position;

    /** @param resource $stream */
    public function __construct(private readonly mixed $stream)
    {
        $this->position = (int) ftell($stream);
        fseek($stream, 0, SEEK_END);
        $this->size = (int) ftell($stream) - $this->position;
        fseek($stream, $this->position);
    }

    /** @throws ParlanceException when the stream has fewer bytes */
    public function read(int $bytes): string
    {
        // Another reader of the same resource may have moved it. An encrypted stream takes a seek to where it is as one back.
        if (ftell($this->stream) !== $this->position) {
            fseek($this->stream, $this->position);
        }
        $piece = (string) stream_get_contents($this->stream, $bytes);
        $this->position += strlen($piece);
        return strlen($piece) === $bytes ? $piece : throw new ParlanceException('The file became shorter while it was read.');
    }

    /**
     * As many bytes as there were when this was made, in pieces of the given size.
     *
     * @param positive-int $pieceBytes
     * @return \Generator<int, string>
     */
    public function pieces(int $pieceBytes): \Generator
    {
        for ($left = $this->size; $left > 0; $left -= $pieceBytes) {
            yield $this->read(min($pieceBytes, $left));
        }
    }
}
