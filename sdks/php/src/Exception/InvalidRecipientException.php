<?php

declare(strict_types=1);

namespace Parlance\Exception;

/** A file cannot be encrypted to the recipient. */
final class InvalidRecipientException extends ParlanceException
{
}
