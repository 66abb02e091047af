// Loaded into processes that tests start, so that they end when the process that started them is killed.
// The channel between the two closes with the parent, however that ends.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// It must not keep a process alive that is done.
process.channel?.unref();
