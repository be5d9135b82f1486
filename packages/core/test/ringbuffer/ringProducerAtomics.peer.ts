// The kernels choose their accesses when they are imported: the other architecture's here. The native library is still
// this machine's.
const arch = process.arch
Object.defineProperty(process, "arch", { value: "arm64" })
await import("../../src/ringbuffer/ManyToOneRingBuffer.ts")
Object.defineProperty(process, "arch", { value: arch })
await import("./ringProducer.peer.ts")
