/**
 * The queues that a store had when it was closed, so that one that is gone is missed. RocketMQ keeps no such list: there
 * the log itself has to say.
 */
import * as ConfigFile from "../config/ConfigFile.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"
import type { FileSystem } from "../mapped/FileSystem.ts"

const NAME = "queues.json"

export type Answer = "complete" | "incomplete" | "unknown"

const contentOf = (queues: QueueTable): Record<string, ReadonlyArray<number>> => {
  const content: Record<string, ReadonlyArray<number>> = Object.create(null)
  for (const name of [...queues.topics.keys()].toSorted()) {
    const ids = [...queues.topics.get(name)!.queues.values()]
      .filter(({ queue }) => queue.maxOffset > 0)
      .map(({ queueId }) => queueId)
    if (ids.length > 0) {
      content[name] = ids.toSorted((a, b) => a - b)
    }
  }
  return content
}

/** Keeps the list; does nothing where it is what is kept already. */
export const write = (fileSystem: FileSystem, root: string, queues: QueueTable): void => {
  const path = ConfigFile.pathOf(root, NAME)
  const content = contentOf(queues)
  if (JSON.stringify(ConfigFile.read(fileSystem, path)) !== JSON.stringify(content)) {
    ConfigFile.write(fileSystem, path, content)
  }
}

/** Whether all queues that are listed are there. */
export const check = (fileSystem: FileSystem, root: string, queues: QueueTable): Answer => {
  const content = ConfigFile.read(fileSystem, ConfigFile.pathOf(root, NAME))
  if (typeof content !== "object" || content === null) {
    return "unknown"
  }
  for (const [topic, ids] of Object.entries(content)) {
    for (const id of Array.isArray(ids) ? ids : []) {
      if ((queues.find(topic, Number(id))?.queue.maxOffset ?? 0) === 0) {
        return "incomplete"
      }
    }
  }
  return "complete"
}
