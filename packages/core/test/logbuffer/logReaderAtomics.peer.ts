// The kernels choose their accesses when they are imported: the other architecture's here.
Object.defineProperty(process, "arch", { value: "arm64" })
await import("./logReader.peer.ts")
