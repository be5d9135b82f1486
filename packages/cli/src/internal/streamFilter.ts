import * as Option from "effect/Option"

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
