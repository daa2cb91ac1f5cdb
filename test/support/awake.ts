// Loaded before every test. While a test waits for something that does not keep a program alive (Workers, the kernel's own timers), Bun's
// runner polls in a busy loop and takes a whole core. With a timer that keeps it alive, it sleeps.

const LONG_MS = 24 * 60 * 60 * 1000;

setInterval(() => {}, LONG_MS);
