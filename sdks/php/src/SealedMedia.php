<?php

declare(strict_types=1);

namespace Parlance;

use Parlance\Age\AgeStream;
use Parlance\Age\Encrypter;
use Parlance\Age\Recipient;
use Parlance\Core\SizedStream;
use Parlance\Exception\InvalidRecipientException;
use Parlance\Exception\MissingExtensionException;
use Parlance\Exception\ParlanceException;
use Psr\Http\Message\StreamInterface;

/** Recordings that are encrypted for the server's decoders. Needs PHP's extension sodium. */
final class SealedMedia
{
    private const FUNCTIONS = ['sodium_crypto_scalarmult', 'sodium_crypto_scalarmult_base', 'sodium_crypto_aead_chacha20poly1305_ietf_encrypt'];
    private const DEFAULT_NAME = 'recording';

    /**
     * Encrypts a file so that only the holders of the private keys can read it, by the age format (https://age-encryption.org/v1). A path and
     * a seekable resource are encrypted while they are uploaded, 64 KiB at a time; anything else is encrypted to a temporary file first, which
     * holds nothing in clear. Each upload of the returned file, and each `open()`, encrypts anew; a stream that cannot seek, and a
     * generator, are read once.
     *
     * @param File|string|\SplFileInfo|resource|StreamInterface|iterable<string> $file a text is a path
     * @param string|iterable<string> $recipients the `recipient` of the first key of `GET /media-keys`; to be able to open what the server keeps, one of your own as well
     * @return File what `uploads->create` and `transcriptions->create` take as `file`; its `open()` is the encrypted stream
     * @throws InvalidRecipientException
     * @throws MissingExtensionException
     */
    public static function seal(mixed $file, string|iterable $recipients): File
    {
        foreach (self::FUNCTIONS as $function) {
            if (!function_exists($function)) {
                throw new MissingExtensionException('sodium', 'Sealed media');
            }
        }
        $parsed = [];
        foreach (is_string($recipients) ? [$recipients] : $recipients as $recipient) {
            $parsed[] = Recipient::parse($recipient);
        }
        if ($parsed === []) {
            throw new InvalidRecipientException('Sealed media needs at least one recipient.');
        }
        $clear = File::of($file);
        return File::madeAnew(($clear->name ?? self::DEFAULT_NAME) . '.age', static fn (): mixed => self::sealed($clear->source(), $parsed));
    }

    /**
     * @param resource|iterable<string> $clear
     * @param non-empty-list<Recipient> $recipients
     * @return resource|iterable<string> a resource where the size is known
     * @throws ParlanceException
     */
    private static function sealed(mixed $clear, array $recipients): mixed
    {
        $encrypter = new Encrypter($recipients);
        if (!is_resource($clear)) {
            return $encrypter->encrypt($clear);
        }
        $stream = new SizedStream($clear);
        return AgeStream::open($encrypter->encrypt($stream->pieces(Encrypter::CHUNK_BYTES)), $encrypter->sizeOf($stream->size));
    }
}
