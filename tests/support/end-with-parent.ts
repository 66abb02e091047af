// Loaded into processes that tests start: whoever started them may be killed, and they go with it.
// The channel between the two closes with the parent, however that ends.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// It must not keep a process alive that is done.
process.channel?.unref();
