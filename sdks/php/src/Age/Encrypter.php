<?php

declare(strict_types=1);

namespace Parlance\Age;

/**
 * Encrypts one file in the age format, version 1 (https://c2sp.org/age), to X25519 recipients.
 *
 * Each file has an encrypter of its own: the key of the file, with the numbers of its chunks as nonces, must not encrypt another one.
 */
final class Encrypter
{
    public const CHUNK_BYTES = 65_536;
    private const TAG_BYTES = 16;
    private const FILE_KEY_BYTES = 16;
    private const NONCE_BYTES = 16;
    private const KEY_BYTES = 32;

    /** The nonce of a key that encrypts once. */
    private const ZERO_NONCE = "\0\0\0\0\0\0\0\0\0\0\0\0";
    private const FIRST_LINE = "age-encryption.org/v1\n";

    /** The header, and the nonce that the key of the chunks is derived with. */
    private readonly string $head;
    private readonly \SensitiveParameterValue $key;
    private bool $isUsed = false;

    /** @param non-empty-list<Recipient> $recipients */
    public function __construct(array $recipients)
    {
        $fileKey = random_bytes(self::FILE_KEY_BYTES);
        $nonce = random_bytes(self::NONCE_BYTES);
        try {
            $header = self::FIRST_LINE;
            foreach ($recipients as $recipient) {
                $header .= self::stanza($recipient, $fileKey);
            }
            $header .= '---';
            $mac = hash_hmac('sha256', $header, hash_hkdf('sha256', $fileKey, self::KEY_BYTES, 'header'), true);
            $this->head = "{$header} " . self::base64($mac) . "\n{$nonce}";
            $this->key = new \SensitiveParameterValue(hash_hkdf('sha256', $fileKey, self::KEY_BYTES, 'payload', $nonce));
        } finally {
            sodium_memzero($fileKey);
        }
    }

    /** Returns the encrypted size in bytes of a file of `$clearBytes`. */
    public function sizeOf(int $clearBytes): int
    {
        $chunks = max(1, intdiv($clearBytes + self::CHUNK_BYTES - 1, self::CHUNK_BYTES));
        return strlen($this->head) + $clearBytes + $chunks * self::TAG_BYTES;
    }

    /**
     * The encrypted file, in pieces as its own pieces come.
     *
     * @param iterable<string> $clear pieces of any size
     * @return \Generator<int, string>
     */
    public function encrypt(iterable $clear): \Generator
    {
        if ($this->isUsed) {
            throw new \LogicException('An encrypter encrypts one file.');
        }
        $this->isUsed = true;
        yield $this->head;
        $number = 0;
        $rest = '';
        foreach ($clear as $piece) {
            $rest .= $piece;
            // The last chunk is marked, so a full one has to wait for another byte.
            for ($at = 0; strlen($rest) - $at > self::CHUNK_BYTES; $at += self::CHUNK_BYTES) {
                yield $this->chunk(substr($rest, $at, self::CHUNK_BYTES), $number++, false);
            }
            $rest = substr($rest, $at);
        }
        yield $this->chunk($rest, $number, true);
    }

    private function chunk(string $clear, int $number, bool $isLast): string
    {
        $nonce = "\0\0\0" . pack('J', $number) . ($isLast ? "\1" : "\0");
        /** @var string $key */
        $key = $this->key->getValue();
        return sodium_crypto_aead_chacha20poly1305_ietf_encrypt($clear, '', $nonce, $key);
    }

    /** The key of the file, encrypted for a recipient. */
    private static function stanza(Recipient $recipient, #[\SensitiveParameter] string $fileKey): string
    {
        $secret = random_bytes(self::KEY_BYTES);
        $shared = '';
        $wrapKey = '';
        try {
            $share = sodium_crypto_scalarmult_base($secret);
            $shared = sodium_crypto_scalarmult($secret, $recipient->publicKey);
            $wrapKey = hash_hkdf('sha256', $shared, self::KEY_BYTES, 'age-encryption.org/v1/X25519', $share . $recipient->publicKey);
            $body = sodium_crypto_aead_chacha20poly1305_ietf_encrypt($fileKey, '', self::ZERO_NONCE, $wrapKey);
        } finally {
            foreach ([&$secret, &$shared, &$wrapKey] as &$bytes) {
                sodium_memzero($bytes);
            }
        }
        return '-> X25519 ' . self::base64($share) . "\n" . self::base64($body) . "\n";
    }

    /** Base64 without padding, as the header has it. */
    private static function base64(string $bytes): string
    {
        return rtrim(base64_encode($bytes), '=');
    }
}
