<?php

declare(strict_types=1);

namespace Parlance\Age;

use Parlance\Exception\InvalidRecipientException;

/** An X25519 recipient of the age format (https://c2sp.org/age): the Bech32 encoding (BIP 173) of a public key. */
final class Recipient
{
    private const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

    /** The prefix `age` as Bech32 includes it in the checksum: the high bits of each letter, 0, and their low bits. */
    private const PREFIX = [3, 3, 3, 0, 1, 7, 5];

    /** 32 bytes are 51 groups of 5 bits, and one bit with four of padding. */
    private const FORM = '/\Aage1[' . self::ALPHABET . ']{58}\z/';
    private const CHECKSUM_GROUPS = 6;
    private const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
    private const KEY_BYTES = 32;

    /** @param string $publicKey 32 bytes */
    private function __construct(public readonly string $publicKey)
    {
    }

    /** @throws InvalidRecipientException */
    public static function parse(string $text): self
    {
        $groups = preg_match(self::FORM, $text) === 1 ? array_map(static fn (string $letter): int => (int) strpos(self::ALPHABET, $letter), str_split(substr($text, 4))) : [];
        if ($groups === [] || self::checksum([...self::PREFIX, ...$groups]) !== 1) {
            // The text is not repeated: it may be a private key.
            throw new InvalidRecipientException('The recipient is not a public key of age for X25519, "age1…" with 62 characters, or has a typing error.');
        }
        $publicKey = self::bytes(array_slice($groups, 0, -self::CHECKSUM_GROUPS));
        try {
            sodium_crypto_scalarmult(random_bytes(self::KEY_BYTES), $publicKey);
        } catch (\SodiumException) {
            // A point of low order (RFC 7748, section 6.1), with which every agreed secret is 0.
            throw new InvalidRecipientException('The recipient is a public key with which no secret can be agreed.');
        }
        return new self($publicKey);
    }

    /** @param list<int> $groups */
    private static function checksum(array $groups): int
    {
        $checksum = 1;
        foreach ($groups as $group) {
            $top = $checksum >> 25;
            $checksum = (($checksum & 0x1ffffff) << 5) ^ $group;
            foreach (self::GENERATOR as $bit => $term) {
                $checksum ^= ($top >> $bit) & 1 ? $term : 0;
            }
        }
        return $checksum;
    }

    /**
     * @param list<int> $groups of 5 bits
     * @throws InvalidRecipientException when the padding is not zero
     */
    private static function bytes(array $groups): string
    {
        $bits = implode('', array_map(static fn (int $group): string => sprintf('%05b', $group), $groups));
        if ((int) substr($bits, self::KEY_BYTES * 8) !== 0) {
            throw new InvalidRecipientException('The recipient has more bits than a public key.');
        }
        return implode('', array_map(static fn (string $byte): string => chr((int) bindec($byte)), str_split(substr($bits, 0, self::KEY_BYTES * 8), 8)));
    }
}
