/** The topic of a store that a command works on: the one that is asked for, or the only one that there is. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { badInput } from "../CommandError.ts"

export const onlyTopic = Effect.fnUntraced(function* (directory: string, name: Option.Option<string>) {
  const store = yield* MessageStore.MessageStore
  const topics = yield* store.topics
  const found = Option.match(name, {
    onNone: () => (topics.length === 1 ? topics[0] : undefined),
    onSome: (name) => topics.find(({ topic }) => topic === name)
  })
  if (found !== undefined) {
    return found
  }
  const names = topics.length === 0 ? "it has none" : `it has ${topics.map(({ topic }) => topic).join(", ")}`
  return yield* badInput(
    directory,
    Option.match(name, { onNone: () => `which topic? ${names}`, onSome: (name) => `has no topic ${name}; ${names}` })
  )
})
