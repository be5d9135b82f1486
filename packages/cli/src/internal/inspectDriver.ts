/** Opens the directory that a command names, to be looked at. */
import * as Inspector from "@millrace/transport/Inspector"
import * as Option from "effect/Option"

export const inspectDriver = (directory: Option.Option<string>) =>
  Inspector.open(Option.isSome(directory) ? { directory: directory.value } : {})

export interface StreamFilter {
  readonly channel: Option.Option<string>
  readonly streamId: Option.Option<number>
}

/** Whether a stream is one of those that were asked for. */
export const isWanted = (
  { channel, streamId }: StreamFilter,
  stream: { readonly channel: string; readonly streamId: number }
): boolean =>
  Option.getOrElse(
    Option.map(streamId, (id) => id === stream.streamId),
    () => true
  ) &&
  Option.getOrElse(
    Option.map(channel, (text) => stream.channel.includes(text)),
    () => true
  )
