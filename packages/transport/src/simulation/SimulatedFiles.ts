/**
 * The shared memory of one simulated host: memory by path, as a directory holds it, and what each process of the host
 * has mapped. A path that is removed is gone for whoever looks for it; who has it mapped keeps the memory, as on a real
 * system.
 */
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import type { Region } from "@millrace/core/kernel/memory/Region"
import type { LogFactory, LogRequest, PendingLog } from "../driver/LogFactory.ts"

/** As the system says it: what clients look for is the code. */
class NoSuchFile extends Error {
  readonly code = "ENOENT"
}

export class SimulatedFiles {
  private readonly files = new Map<string, SharedArrayBuffer>()

  get paths(): ReadonlyArray<string> {
    return [...this.files.keys()]
  }

  find(path: string): SharedArrayBuffer | undefined {
    return this.files.get(path)
  }

  create(path: string, length: number): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(length)
    this.files.set(path, memory)
    return memory
  }

  remove(path: string): void {
    this.files.delete(path)
  }

  /** Everything under a directory. */
  removeAll(directory: string): void {
    for (const path of this.files.keys()) {
      if (path.startsWith(`${directory}/`)) {
        this.files.delete(path)
      }
    }
  }
}

/** What one process has mapped. */
export class SimulatedMappings {
  private readonly files: SimulatedFiles
  private readonly regions = new Set<HeapRegion>()

  constructor(files: SimulatedFiles) {
    this.files = files
  }

  /** Names of what was not unmapped yet. */
  get names(): ReadonlyArray<string> {
    return [...this.regions].filter(({ state }) => !state.isClosed).map(({ state }) => state.name)
  }

  create(path: string, length: number): Region {
    return this.add(path, this.files.create(path, length))
  }

  /** Throws an error with the code ENOENT when there is no such path. */
  map(path: string): Region {
    const memory = this.files.find(path)
    if (memory === undefined) {
      throw new NoSuchFile(`no such file: ${path}`)
    }
    return this.add(path, memory)
  }

  /** The process ends. */
  closeAll(): void {
    for (const region of this.regions) {
      region.close()
    }
    this.regions.clear()
  }

  /** Logs under `directory`, each there after `looks()` looks of the conductor: reserving blocks takes time. */
  logFactory(directory: string, pageSize: number, looks: () => number): LogFactory {
    return { create: (request) => this.createLog(directory, pageSize, looks(), request) }
  }

  private createLog(directory: string, pageSize: number, looks: number, request: LogRequest): PendingLog {
    const fileName = `${directory}/${request.kind}s/${request.registrationId}.logbuffer`
    let looksLeft = looks
    return {
      abandon: () => {},
      poll: () => {
        if (looksLeft-- > 0) {
          return undefined
        }
        const region = this.create(fileName, LogBufferDescriptor.computeLogLength(request.termLength, pageSize))
        return {
          fileName,
          region,
          free: () => {
            region.close()
            this.files.remove(fileName)
            return true
          }
        }
      }
    }
  }

  private add(path: string, memory: SharedArrayBuffer): Region {
    for (const region of this.regions) {
      if (region.state.isClosed) {
        this.regions.delete(region)
      }
    }
    const region = new HeapRegion(path, memory)
    this.regions.add(region)
    return region
  }
}
