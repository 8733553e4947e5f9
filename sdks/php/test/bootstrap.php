<?php

declare(strict_types=1);

// Debian's packages of the HTTP clients, each with an autoloader of its own.
require_once 'Symfony/Component/HttpClient/autoload.php';
require_once 'Nyholm/Psr7/autoload.php';
require_once 'GuzzleHttp/autoload.php';

spl_autoload_register(static function (string $class): void {
    foreach (['Parlance\\Test\\' => __DIR__, 'Parlance\\' => dirname(__DIR__) . '/src'] as $prefix => $folder) {
        $file = $folder . '/' . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require_once $file;
            return;
        }
    }
});
