<?php

declare(strict_types=1);

namespace Parlance\Exception;

/** This PHP lacks an extension that the call needs. */
final class MissingExtensionException extends ParlanceException
{
    /** @param string $extension its name, as in composer.json without `ext-` */
    public function __construct(public readonly string $extension, string $what)
    {
        parent::__construct("{$what} needs PHP's extension {$extension}: install it, or enable it in php.ini.");
    }
}
