<?php

declare(strict_types=1);

namespace Parlance\Exception;

/** A webhook that must not be processed. */
final class WebhookVerificationException extends ParlanceException
{
}
