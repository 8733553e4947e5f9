<?php

declare(strict_types=1);

namespace Parlance\Exception;

/** The `cancel` callback of the call returned true. A job that was created continues. */
final class CanceledException extends ParlanceException
{
    public function __construct()
    {
        parent::__construct('The call was canceled by its caller.');
    }
}
