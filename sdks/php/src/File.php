<?php

declare(strict_types=1);

namespace Parlance;

use Parlance\Exception\ParlanceException;
use Psr\Http\Message\StreamInterface;

/** A file to upload: a path, bytes, or a stream. */
final class File
{
    private const COPY_BYTES = 65_536;

    /** Bits of the mode of a file, as of stat(2). */
    private const FILE_TYPE = 0o170000;
    private const PIPE = 0o010000;

    /**
     * @param \Closure(): (resource|iterable<string>) $open opens the file at the place where its bytes begin: a stream whose size is known, or pieces
     * @param bool $isRepeatable whether the same bytes come each time
     */
    private function __construct(public readonly ?string $name, private readonly \Closure $open, public readonly bool $isRepeatable = true)
    {
    }

    public static function fromPath(string|\SplFileInfo $path): self
    {
        $path = (string) $path;
        return new self(basename($path), static function () use ($path): mixed {
            $stream = is_file($path) || self::isPipe($path) ? @fopen($path, 'rb') : false;
            if ($stream === false) {
                throw new ParlanceException("The file {$path} cannot be read.");
            }
            return self::isPipe($path) ? self::piecesOf($stream) : $stream;
        });
    }

    public static function fromString(string $bytes, ?string $name = null): self
    {
        return self::fromStream([$bytes], $name);
    }

    /**
     * A resource from its position on, a PSR-7 stream, or an iterable of strings. A resource that cannot seek, and a generator, are read once. What has no size is copied to a temporary file, which is on the disk above 2 MB.
     *
     * @param resource|StreamInterface|iterable<string> $stream
     */
    public static function fromStream(mixed $stream, ?string $name = null): self
    {
        if (is_resource($stream)) {
            $about = stream_get_meta_data($stream);
            $ownName = ($about['wrapper_type'] ?? null) === 'plainfile' ? basename($about['uri'] ?? '') : null;
            return new self($name ?? $ownName, $about['seekable'] ? self::fromItsPosition($stream) : self::once(self::piecesOf($stream)));
        }
        return new self($name, match (true) {
            $stream instanceof StreamInterface => static fn (): mixed => self::piecesOfPsr7($stream),
            $stream instanceof \Generator => self::once($stream),
            default => static fn (): mixed => $stream,
        });
    }

    /**
     * The file of what a call was given; a text is a path.
     *
     * @param self|string|\SplFileInfo|resource|StreamInterface|iterable<string> $given
     */
    public static function of(mixed $given): self
    {
        return match (true) {
            $given instanceof self => $given,
            is_string($given), $given instanceof \SplFileInfo => self::fromPath($given),
            is_resource($given), is_iterable($given), $given instanceof StreamInterface => self::fromStream($given),
            default => throw new ParlanceException('`file` has to be a path, a Parlance\File, a resource, a PSR-7 stream, or an iterable of strings. For a URL, use audio_url.'),
        };
    }

    /**
     * A file whose bytes differ each time that it is opened.
     *
     * @internal
     * @param \Closure(): (resource|iterable<string>) $open
     */
    public static function madeAnew(string $name, \Closure $open): self
    {
        return new self($name, $open, false);
    }

    /**
     * @param resource $stream
     * @return \Closure(): resource
     */
    private static function fromItsPosition(mixed $stream): \Closure
    {
        $start = (int) ftell($stream);
        return static function () use ($stream, $start): mixed {
            fseek($stream, $start);
            return $stream;
        };
    }

    /**
     * @param \Generator<string> $pieces
     * @return \Closure(): iterable<string>
     */
    private static function once(\Generator $pieces): \Closure
    {
        $isRead = false;
        return static function () use ($pieces, &$isRead): iterable {
            if ($isRead) {
                throw new ParlanceException('The stream was read before, and cannot be read again.');
            }
            $isRead = true;
            return $pieces;
        };
    }

    private static function isPipe(string $path): bool
    {
        return ((@stat($path)['mode'] ?? 0) & self::FILE_TYPE) === self::PIPE;
    }

    /** @return resource a stream whose size is known */
    public function open(): mixed
    {
        $source = $this->source();
        return is_resource($source) ? $source : self::copied($source);
    }

    /**
     * The file before anything is copied.
     *
     * @internal
     * @return resource|iterable<string> a stream whose size is known, or pieces
     */
    public function source(): mixed
    {
        return ($this->open)();
    }

    /**
     * @param resource $stream
     * @return \Generator<int, string>
     */
    private static function piecesOf(mixed $stream): \Generator
    {
        while (($piece = fread($stream, self::COPY_BYTES)) !== false && $piece !== '') {
            yield $piece;
        }
    }

    /** @return \Generator<int, string> */
    private static function piecesOfPsr7(StreamInterface $stream): \Generator
    {
        // Factories leave some streams at their end.
        if ($stream->isSeekable()) {
            $stream->rewind();
        }
        while (!$stream->eof()) {
            yield $stream->read(self::COPY_BYTES);
        }
    }

    /**
     * @param iterable<string> $pieces
     * @return resource
     */
    private static function copied(iterable $pieces): mixed
    {
        $copy = fopen('php://temp', 'w+b');
        if ($copy === false) {
            throw new ParlanceException('No temporary file can be made.');
        }
        foreach ($pieces as $piece) {
            if (fwrite($copy, $piece) !== strlen($piece)) {
                throw new ParlanceException('The temporary file cannot be written: the disk may be full.');
            }
        }
        rewind($copy);
        return $copy;
    }
}
