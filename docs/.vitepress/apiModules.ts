/**
 * Plugin of typedoc: modules are called as programs import them, and begin with what their sources begin with. By itself
 * typedoc calls them by their paths, and leaves out a comment without a tag that only it knows.
 */
import { type Application, Comment, type CommentDisplayPart, Converter, ReflectionKind } from "typedoc"

/** The comment that opens a source, without its margin and its tags. */
const headOf = (source: string): string =>
  (/^\/\*\*(.*?)\*\//s.exec(source)?.[1] ?? "")
    .replaceAll(/^ *\* ?/gm, "")
    .replaceAll(/^@.*$/gm, "")
    .trim()

/** Code is kept as it is. */
const partsOf = (markdown: string): Array<CommentDisplayPart> =>
  markdown
    .split(/(```[^]*?```|`[^`\n]*`)/)
    .filter((text) => text !== "")
    .map((text) => ({ kind: text.startsWith("`") ? "code" : "text", text }))

export const load = (app: Application): void => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    const source = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile()
    if (reflection.kindOf(ReflectionKind.Module) && source !== undefined) {
      reflection.name = reflection.name.replace("/src/", "/")
      reflection.comment = new Comment(partsOf(headOf(source.text)))
    }
  })
}
