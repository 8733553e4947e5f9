<?php

declare(strict_types=1);

namespace Parlance;

use Parlance\Exception\WebhookVerificationException;
use Parlance\Generated\Types;

/**
 * Verifies webhooks by Standard Webhooks. It needs no client.
 *
 * @phpstan-import-type WebhookEvent from Types
 */
final class WebhookVerifier
{
    public const TOLERANCE_SECONDS = 300.0;
    private const SECRET_PREFIX = 'whsec_';

    /**
     * Verifies a webhook and reads its body.
     *
     * @param mixed $rawBody the body as it arrived, as text: file_get_contents('php://input')
     * @param array<string, string|list<string>> $headers as of getallheaders() or of a PSR-7 request
     * @param string|array{secret: string} $secret `whsec_…`, or the answer that has it as `secret`
     * @param float $tolerance seconds by which the time of the attempt may differ
     * @param float|null $now seconds since 1970
     * @return WebhookEvent
     * @throws WebhookVerificationException when the webhook is not from the owner of the secret, was changed, or is old
     */
    public static function verify(mixed $rawBody, array $headers, #[\SensitiveParameter] string|array $secret, float $tolerance = self::TOLERANCE_SECONDS, ?float $now = null): array
    {
        if (!is_string($rawBody)) {
            throw new WebhookVerificationException("The raw body is needed, as text: a parsed one cannot be verified. Use file_get_contents('php://input').");
        }
        $given = array_change_key_case($headers);
        [$id, $time, $signatures] = [self::header($given, 'webhook-id'), self::header($given, 'webhook-timestamp'), self::header($given, 'webhook-signature')];
        if (!is_numeric($time) || abs(($now ?? microtime(true)) - (float) $time) > $tolerance) {
            throw new WebhookVerificationException("The webhook is not of the last {$tolerance} seconds. Check the clock.");
        }
        $expected = base64_encode(hash_hmac('sha256', "{$id}.{$time}.{$rawBody}", self::key(is_array($secret) ? $secret['secret'] : $secret), true));
        foreach (explode(' ', $signatures) as $each) {
            if (hash_equals("v1,{$expected}", $each)) {
                return self::event($rawBody);
            }
        }
        throw new WebhookVerificationException('No signature is made with the secret. Check that the body is the raw one, and the secret that of the endpoint.');
    }

    /** @param array<string, string|list<string>> $headers by their names in lower case */
    private static function header(array $headers, string $name): string
    {
        $value = $headers[$name] ?? '';
        $text = is_array($value) ? implode(' ', $value) : $value;
        return $text !== '' ? $text : throw new WebhookVerificationException('The request has no headers webhook-id, webhook-timestamp and webhook-signature.');
    }

    private static function key(#[\SensitiveParameter] string $secret): string
    {
        $encoded = str_starts_with($secret, self::SECRET_PREFIX) ? substr($secret, strlen(self::SECRET_PREFIX)) : $secret;
        $key = base64_decode($encoded, true);
        return is_string($key) && $key !== '' ? $key : throw new WebhookVerificationException('The secret is not one of webhooks: whsec_ and base64.');
    }

    /** @return WebhookEvent */
    private static function event(string $body): array
    {
        $event = json_decode($body, true);
        if (!is_array($event)) {
            throw new WebhookVerificationException('The body is not JSON.');
        }
        /** @var WebhookEvent $event */
        return $event;
    }
}
