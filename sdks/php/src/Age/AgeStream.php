<?php

declare(strict_types=1);

namespace Parlance\Age;

use Parlance\Exception\ParlanceException;

/**
 * An encrypted file as a resource, which is made while it is read. Its size is known, and it is read once, from its beginning to its end.
 *
 * @internal PHP calls the methods of this class (https://www.php.net/streamwrapper)
 */
final class AgeStream
{
    private const PROTOCOL = 'parlance-age';
    private const REGULAR_FILE = 0o100444;

    /** @var resource|null set by PHP */
    public mixed $context = null;

    /** @var \Generator<int, string> */
    private \Generator $pieces;
    private int $size = 0;
    private int $position = 0;
    private int $readBytes = 0;
    private string $rest = '';

    /**
     * @param \Generator<int, string> $pieces of the encrypted file
     * @param int $size the size of all pieces in bytes
     * @return resource
     */
    public static function open(\Generator $pieces, int $size): mixed
    {
        if (!in_array(self::PROTOCOL, stream_get_wrappers(), true)) {
            stream_wrapper_register(self::PROTOCOL, self::class);
        }
        $context = stream_context_create([self::PROTOCOL => ['pieces' => $pieces, 'size' => $size]]);
        $stream = fopen(self::PROTOCOL . '://', 'rb', false, $context);
        if ($stream === false) {
            throw new ParlanceException('The encrypted stream cannot be opened.');
        }
        // Otherwise PHP reads 8 KiB at a time.
        stream_set_chunk_size($stream, Encrypter::CHUNK_BYTES);
        return $stream;
    }

    public function stream_open(): bool
    {
        $options = $this->context === null ? [] : (stream_context_get_options($this->context)[self::PROTOCOL] ?? []);
        if (!isset($options['pieces'], $options['size']) || !$options['pieces'] instanceof \Generator || !is_int($options['size'])) {
            return false;
        }
        [$this->pieces, $this->size] = [$options['pieces'], $options['size']];
        return true;
    }

    /** @throws ParlanceException when it is not read in its order, or what the source throws */
    public function stream_read(int $bytes): string
    {
        if ($this->position !== $this->readBytes) {
            throw new ParlanceException('An encrypted file is read from its beginning to its end.');
        }
        while ($this->rest === '' && $this->pieces->valid()) {
            $this->rest = $this->pieces->current();
            $this->pieces->next();
        }
        $read = substr($this->rest, 0, $bytes);
        $this->rest = substr($this->rest, strlen($read));
        $this->position = $this->readBytes += strlen($read);
        return $read;
    }

    public function stream_eof(): bool
    {
        return $this->position >= $this->size;
    }

    public function stream_tell(): int
    {
        return $this->position;
    }

    /** Before their first read, callers ask for the size by a seek to the end and back; `fstat` has it at any time. A read at another position is refused. */
    public function stream_seek(int $offset, int $whence): bool
    {
        $position = $offset + match ($whence) {
            SEEK_CUR => $this->position,
            SEEK_END => $this->size,
            default => 0,
        };
        if ($position < 0 || $position > $this->size) {
            return false;
        }
        $this->position = $position;
        return true;
    }

    /** @return array{size: int, mode: int} */
    public function stream_stat(): array
    {
        return ['size' => $this->size, 'mode' => self::REGULAR_FILE];
    }
}
