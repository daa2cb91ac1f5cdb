// Loaded before every test. While a test waits for what does not keep a program alive by itself (Workers, the kernel's own timers), Bun's
// runner asks again and again whether it has come, and takes a whole core for it. With a timer that does, it sleeps.

const LONG_MS = 24 * 60 * 60 * 1000;

setInterval(() => {}, LONG_MS);
